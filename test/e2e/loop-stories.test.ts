/**
 * Loop files, run by the built loopctl with a scripted agent (no model is called) and real commands:
 * each story is told by the file, the exit code and the record. What only the proof runs has faster tests of its
 * rule: limits in test/engine, tools in test/tools, forks in test/host.test.ts.
 */

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inProof } from '../share.ts'
import {
  ctl,
  type Ended,
  endOf,
  environment,
  eventsOf,
  linesOf,
  loopctl,
  type Place,
  place,
  toolCalls,
} from './loop-fixture.ts'

const run = (at: Place, ...args: string[]): Promise<Ended> =>
  ctl(at, '--json', 'run', at.file, '--trust', '--name', 'story', ...args)

const counting = `
prompt: "Count. {{ progress }}"
checks: { three: 'test "$(wc -l < log.txt)" -ge 3' }
agent:
  script:
    - - { call: run, args: { command: echo x >> log.txt } }
      - { say: It is done. }
`

describe('a loop file', () => {
  test('runs until its check passes: on the third iteration, whatever the agent reports', async () => {
    const at = place(counting)
    const ended = await run(at)
    expect(ended).toMatchObject({ code: 0 })
    expect(endOf(ended)).toMatchObject({ outcome: { type: 'completed' } })
    expect(eventsOf(ended, 'iteration-ended')).toHaveLength(3)
    expect(readFileSync(join(at.work, 'log.txt'), 'utf8')).toBe('x\nx\nx\n')
    const inspected = await ctl(at, '--json', 'inspect', 'story')
    expect(JSON.parse(inspected.stdout)).toMatchObject({
      state: { metrics: { tools: { run: { calls: 3, failed: 0 } } } },
    })
  })

  test.each(inProof)('whose check never passes ends at its limit, and not with 0', async () => {
    const at = place(counting.replace('-ge 3', '-ge 99'))
    const ended = await run(at, '--iterations', '4')
    expect(ended.code).toBe(3)
    expect(endOf(ended)).toMatchObject({ outcome: { type: 'exhausted', limit: 'iterations' } })
  })

  test.each(inProof)('is ended by its budget before it spends more', async () => {
    const at = place(`
prompt: Spend.
checks: { never: 'false' }
agent:
  script: [[{ call: run, args: { command: date +%N >> log.txt }, usage: { tokens: 400 } }, { say: ok }]]
limits: { tokens: 1000 }
`)
    const ended = await run(at)
    expect(ended.code).toBe(3)
    expect(endOf(ended)).toMatchObject({ outcome: { type: 'exhausted', limit: 'tokens' } })
    const inspected = await ctl(at, '--json', 'inspect', 'story')
    expect(JSON.parse(inspected.stdout)).toMatchObject({ state: { spent: { tokens: 800 } } })
  })

  test.each(inProof)('is ended by its deadline, in the middle of a tool call', async () => {
    const deadline = new Date(Date.now() + 4000).toISOString()
    const at = place(`
prompt: Wait.
checks: { never: 'false' }
agent: { script: [[{ call: run, args: { command: sleep 60 } }, { say: ok }]] }
limits: { deadline: ${deadline} }
`)
    const ended = await run(at)
    expect(ended.code).toBe(3)
    expect(endOf(ended)).toMatchObject({ outcome: { type: 'exhausted', limit: 'deadline' } })
  })

  test('whose agent repeats itself: it is nudged, stopped, and the run ends as stuck', async () => {
    const call = '{ call: run, args: { command: cat goal.txt } }'
    const at = place(
      `
prompt: Go.
checks: { never: 'false' }
agent: { script: [[${Array.from({ length: 8 }, () => call).join(', ')}, { say: ok }]] }
`,
      { 'goal.txt': 'go' },
    )
    const ended = await run(at)
    expect(ended.code).toBe(4)
    expect(endOf(ended)).toMatchObject({ outcome: { type: 'stuck' } })
    const notes = eventsOf(ended, 'step-noted').map(({ note }) => note)
    expect(notes).toContainEqual({ type: 'nudged', tool: 'run', times: 3 })
    const perIteration = toolCalls(ended).length / eventsOf(ended, 'iteration-ended').length
    expect(perIteration).toBe(6)
  })
})

describe.each(inProof)('a tool', () => {
  const using = (command: string, more = ''): string => `
prompt: Go.
checks: { done: test -f done.txt }
agent:
  script:
    - - { call: run, args: { command: ${JSON.stringify(command)}${more} } }
      - { call: write, args: { path: done.txt, content: yes } }
      - { say: ok }
`

  test('that hangs is ended at its time limit with all its processes, and the agent continues', async () => {
    const at = place(using('sleep 987654 & sleep 987654', ', timeoutMs: 500'))
    const ended = await run(at)
    expect(ended.code).toBe(0)
    expect(toolCalls(ended)[0]).toMatchObject({ tool: 'run', ok: false, error: 'timeout' })
    const left = await new Promise((resolve) => {
      execFile('pgrep', ['-f', 'sleep 987654'], (_error, stdout) => resolve(stdout))
    })
    expect(left).toBe('')
  })

  test('that floods is cut, and the stored output is in a file', async () => {
    const at = place(using("head -c 20000000 /dev/zero | tr '\\0' 'a'"))
    const ended = await run(at)
    expect(ended.code).toBe(0)
    const [flood] = toolCalls(ended)
    expect(flood).toMatchObject({ tool: 'run', ok: true })
    expect(Number(flood?.['outputBytes'])).toBeGreaterThanOrEqual(20_000_000)
  })

  test('that crashes is data for the agent', async () => {
    const at = place(using('kill -SEGV $$'))
    const ended = await run(at)
    expect(ended.code).toBe(0)
    expect(toolCalls(ended)[0]).toMatchObject({ tool: 'run', ok: false })
  })
})

describe('a run', () => {
  const slow = `
prompt: Go.
checks: { done: 'test "$(cat done.txt)" = yes' }
exclude: [waiting, let-go]
agent:
  script:
    - - { call: write, args: { path: half.txt, content: half } }
      - { call: run, args: { command: 'test -f let-go || { touch waiting; sleep 600; }' } }
      - { call: write, args: { path: done.txt, content: yes } }
      - { say: ok }
`

  async function startAndWait(at: Place): Promise<ChildProcess> {
    const args = [loopctl, '--json', 'run', at.file, '--trust', '--name', 'story']
    const child = spawn(process.execPath, args, { env: environment(at.state), stdio: 'ignore' })
    while (!existsSync(join(at.work, 'waiting'))) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return child
  }

  const exitOf = (child: ChildProcess): Promise<number | null> =>
    new Promise((resolve) => child.once('exit', resolve))

  test('killed in the middle of a tool call is resumed, from the files the agent began with', async () => {
    const at = place(slow)
    const child = await startAndWait(at)
    const exited = exitOf(child)
    child.kill('SIGKILL')
    await exited
    expect(existsSync(join(at.work, 'half.txt'))).toBe(true)
    writeFileSync(join(at.work, 'let-go'), '')
    const resumed = await ctl(at, '--json', 'resume', 'story')
    expect(resumed.code).toBe(0)
    const events = linesOf(resumed).flatMap(({ event }) => event ?? [])
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'workspace-changed', why: 'unfinished-step' }),
    )
    expect(endOf(resumed)).toMatchObject({ outcome: { type: 'completed' } })
  })

  test('that is interrupted is suspended properly, prints how to resume, and exits with 130', async () => {
    const at = place(slow)
    const child = await startAndWait(at)
    const exited = exitOf(child)
    child.kill('SIGINT')
    child.kill('SIGTERM')
    expect(await exited).toBe(130)
    const listed = JSON.parse((await ctl(at, '--json', 'list')).stdout) as { status: string }
    expect(listed.status).toBe('suspended')
    writeFileSync(join(at.work, 'let-go'), '')
    expect((await ctl(at, 'resume', 'story')).code).toBe(0)
  })

  test.each(inProof)(
    'is forked from a checkpoint into a separate folder, and both stay unchanged',
    async () => {
      const at = place(counting)
      await run(at)
      const forked = await ctl(at, '--json', 'fork', 'story', '--at', '1', '--name', 'other')
      expect(forked.code).toBe(0)
      expect(endOf(forked)).toMatchObject({ name: 'other', outcome: { type: 'completed' } })
      expect(eventsOf(forked, 'iteration-ended')).toHaveLength(2)
      const copy = readFileSync(join(`${at.work}-fork-1`, 'log.txt'), 'utf8')
      expect(copy).toBe(readFileSync(join(at.work, 'log.txt'), 'utf8'))
    },
  )

  test('whose loop file changed is not resumed until it is trusted again', async () => {
    const at = place(slow)
    const child = await startAndWait(at)
    const exited = exitOf(child)
    child.kill('SIGKILL')
    await exited
    writeFileSync(at.file, readFileSync(at.file, 'utf8').replace('prompt: Go.', 'prompt: Stay.'))
    const refused = await ctl(at, 'resume', 'story')
    expect(refused.code).toBe(77)
    expect(refused.stderr).toContain('loopctl trust')
    writeFileSync(join(at.work, 'let-go'), '')
    const changed = await ctl(at, 'resume', 'story', '--trust')
    expect(changed.code).toBe(78)
    expect(changed.stderr).toContain('force')
    expect((await ctl(at, 'resume', 'story', '--trust', '--force')).code).toBe(0)
  })
})
