/**
 * Replays that are interrupted, diverge from the recording, or reach its end. Models are scripted
 * behind the real gateway; the log of their server shows which requests it got.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { localUser } from '../../src/system/local-user.ts'
import { startModelServer } from '../../src/testing/index.ts'
import { ctl, leftAt, place } from './loop-fixture.ts'
import {
  agent,
  counting,
  inspected,
  key,
  replay,
  resultOf,
  run,
  shell,
  three,
} from './replay-fixture.ts'

describe('an interrupted replay', () => {
  test('resumes as a replay after kill -9, and is charged for nothing twice', async () => {
    await using server = await startModelServer((_request, number) =>
      number === 4 ? shell('sleep 2') : counting(number > 4 ? number - 1 : number),
    )
    const at = place(`
prompt: "Count, as iteration {{ iteration }}, with {{ budget.tokens }} tokens left."
${three}
${agent(server)}
`)
    expect(await run(at)).toMatchObject({ code: 0 })
    const asked = server.requests.length
    expect(
      await leftAt(at, key, ['replay', 'story', '--name', 'again'], 'sleep 2', 'SIGKILL'),
    ).toBe(null)
    expect(readdirSync(join(at.state, 'replays'))).toHaveLength(1)
    const resumed = await ctl(at, '--json', 'resume', 'again')
    expect(resumed.code).toBe(0)
    expect(resultOf(resumed)).toMatchObject({ same: true, iterations: 3 })
    expect(server.requests).toHaveLength(asked)
    expect((await inspected(at, 'again'))['spent']).toEqual((await inspected(at, 'story'))['spent'])
    expect(readdirSync(join(at.state, 'replays'))).toEqual([])
  })
})

describe('a replay that diverges', () => {
  test('names the exchange with a different request, calls no provider, and keeps its files', async () => {
    await using server = await startModelServer((_request, number) => counting(number))
    const loop = (prompt: string): string => `
prompt: "${prompt} Iteration {{ iteration }}."
${three}
${agent(server)}
`
    const at = place(loop('Count.'))
    expect(await run(at)).toMatchObject({ code: 0 })
    const asked = server.requests.length
    writeFileSync(at.file, `workspace: work\n${loop('Recount.')}`)
    const refused = await replay(at)
    expect(refused.code).toBe(78)
    expect(refused.stderr).toContain('has changed since run')
    expect(readdirSync(join(at.state, 'replays'))).toEqual([])
    const ended = await replay(at, '--file', at.file, '--trust')
    expect(ended.code).toBe(8)
    const { difference, workspace = '', same } = resultOf(ended)
    expect(same).toBe(false)
    expect(difference).toMatchObject({ iteration: 1, step: 'agent:maker#1' })
    expect(difference?.text).toMatch(
      /Exchange 1 differs at character \d+: recorded ".*Count.*", requested/,
    )
    expect(existsSync(workspace)).toBe(true)
    expect(server.requests).toHaveLength(asked)
    const text = await ctl(at, 'replay', 'story', '--file', at.file)
    expect(text.code).toBe(8)
    expect(text.stdout).toContain('not the same as story: iteration 1, agent:maker#1')
    expect(text.stdout).toContain('Its files are in')
  })

  test('names the check with a different result', async () => {
    await using server = await startModelServer((_request, number) => counting(number))
    const at = place(
      `
prompt: Count.
checks: { three: 'test -e ../enough || test "$(wc -l < log.txt)" -ge 3' }
sandbox: { readOnly: [marks] }
${agent(server)}
`.replace('../enough', join('MARKS', 'enough')),
    )
    const marks = join(at.file, '../marks')
    writeFileSync(at.file, readFileSync(at.file, 'utf8').replace('MARKS', marks))
    mkdirSync(marks)
    expect(await run(at)).toMatchObject({ code: 0 })
    writeFileSync(join(marks, 'enough'), '')
    const ended = await replay(at)
    expect(ended.code).toBe(8)
    expect(resultOf(ended).difference?.text).toBe(
      'iteration 1, check:three#1: recorded: not-met; now: met',
    )
  })

  test('is not the replay of a cancelled run, which goes as far as the recording', async () => {
    await using server = await startModelServer((_request, number) =>
      number === 3 ? shell('sleep 3') : counting(number),
    )
    const at = place(`
prompt: "Count, {{ iteration }}."
${three}
${agent(server)}
`)
    expect(await leftAt(at, key, ['run', at.file, '--trust', '--name', 'story'], 'sleep 3')).toBe(
      130,
    )
    await ctl(at, 'cancel', 'story')
    const asked = server.requests.length
    const ended = await replay(at)
    expect(ended.code).toBe(0)
    const result = resultOf(ended)
    expect(result).toMatchObject({ same: true, complete: false })
    expect(result.end).toMatch(/the recording ends in iteration \d \(cancelled by /)
    expect(result.end).toContain(`cancelled by ${localUser()}`)
    expect(server.requests).toHaveLength(asked)
  })
})

describe('a replay is refused', () => {
  const script = 'agent: { script: [[{ say: ok }]] }'
  const remote = `${script}\nmcp: { far: { url: 'https://mcp.example.com/mcp' } }`
  const login = 'agent: { command: [cat], subscription: true }'
  const bare = 'agent: { command: [cat] }\nsandbox: { require: none }'
  test.each([
    ['of a program without a sandbox', bare, ['story', '--attended'], 69, 'loopctl doctor'],
    ['of an unknown run', script, ['nobody'], 66, 'nobody'],
    ['in a folder that has files', script, ['story', '--workspace', 'WORK'], 64, 'mine.txt'],
    ['with a server that is reached over HTTP', remote, ['story'], 64, 'cannot be replayed'],
    ['of an agent with its own login', login, ['story'], 64, 'agent.subscription'],
  ])('%s', async (_what, other, args, code, words) => {
    const at = place(`prompt: Go.\nchecks: { fine: 'true' }\n${script}\n`, { 'mine.txt': 'mine' })
    expect(await run(at)).toMatchObject({ code: 0 })
    const file = join(at.file, '../other.yaml')
    writeFileSync(file, readFileSync(at.file, 'utf8').replace(script, other))
    const given = args.map((arg) => arg.replace('WORK', at.work))
    const refused = await ctl(at, 'replay', ...given, '--file', file, '--trust')
    expect(refused.code).toBe(code)
    expect(refused.stderr).toContain(words)
    expect(readFileSync(join(at.work, 'mine.txt'), 'utf8')).toBe('mine')
    // Nothing is left of it: no run, no folder.
    expect((await ctl(at, 'list')).stdout.trim().split('\n')).toHaveLength(2)
    const left = join(at.state, 'replays')
    expect(existsSync(left) ? readdirSync(left) : []).toEqual([])
  })
})
