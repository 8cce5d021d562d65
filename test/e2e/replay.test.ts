/**
 * Runs of the built loopctl, replayed. Models are scripted behind the real gateway; the log of
 * their server shows which requests it got.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { localUser } from '../../src/system/local-user.ts'
import { startModelServer } from '../../src/testing/index.ts'
import { ctl, ctlWith, leftAt, place } from './loop-fixture.ts'
import {
  agent,
  calls,
  counting,
  inspected,
  key,
  replay,
  resultOf,
  run,
  shell,
  three,
} from './replay-fixture.ts'

describe('a replay calls no provider and ends the same', () => {
  test.each([
    'anthropic/claude-sonnet-4-5',
    'openai/gpt-5',
    'google/gemini-2.5-flash',
    'openai-compatible/local',
  ])('for the model agent %s', async (model) => {
    await using server = await startModelServer([
      { ...calls('read', { path: 'a.txt' }), usage: { input: 900, output: 40 } },
      calls('edit', { path: 'a.txt', old: 'one', new: 'two' }),
      { text: 'I changed it.' },
    ])
    const at = place(
      `
prompt: "Make a.txt say two, in {{ workspace }}. There are {{ budget.time }} and {{ budget.tokens }} tokens left. {{ progress }}"
checks: { two: grep -qx two a.txt }
${agent(server, model)}
`,
      { 'a.txt': 'one\n' },
    )
    expect(await run(at)).toMatchObject({ code: 0 })
    expect(server.requests).toHaveLength(3)
    // The replay knows the result of the preflight, and runs none.
    expect(JSON.stringify(server.requests[0]?.body)).toContain(
      'Check two: failed before the run began',
    )
    const ended = await replay(at)
    expect(ended.code).toBe(0)
    const result = resultOf(ended)
    expect(result).toMatchObject({ same: true, complete: true, exchanges: 3, iterations: 1 })
    expect(server.requests).toHaveLength(3)
    const [there, here] = [await inspected(at, 'story'), await inspected(at, result.run)]
    expect(here['spent']).toEqual(there['spent'])
    expect(here['tree']).toEqual(there['tree'])
    // The files of an identical replay are not needed.
    expect(readdirSync(join(at.state, 'replays'))).toEqual([])
    const text = await ctl(at, 'replay', 'story')
    expect(text.stdout).toContain('the same as story: 1 iteration, completed: checks-pass')
    expect(text.stdout).toMatch(
      /3 exchanges replayed, 0 requests sent, nothing paid \(recorded: \$/,
    )
    expect(server.requests).toHaveLength(3)
  })

  test('for a command that fetches from the URL in its environment', async () => {
    await using server = await startModelServer([{ text: 'alpha' }, { text: 'omega' }])
    const program = `
const ask = async (content) => {
  const answer = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
    method: 'POST',
    headers: { 'x-api-key': process.env.ANTHROPIC_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'claude-sonnet-4-5', max_tokens: 100,
      messages: [{ role: 'user', content: content + ' at ' + new Date().toISOString() }],
    }),
  })
  const { content: [{ text }] } = await answer.json()
  return text
}
const fs = await import('node:fs')
fs.writeFileSync('said.txt', (await ask('first in ' + process.cwd())) + ' ' + (await ask('second')))
`
    const at = place(
      `
prompt: Go.
checks: { said: grep -q 'alpha omega' said.txt }
agent: { command: ['${process.execPath}', agent.mjs] }
`,
      { 'agent.mjs': program },
    )
    const env = { ANTHROPIC_API_KEY: key.MODEL_KEY, ANTHROPIC_BASE_URL: server.url.slice(0, -3) }
    const ran = await ctlWith(at, env, '--json', 'run', at.file, '--trust', '--name', 'story')
    expect(ran.code).toBe(0)
    expect(server.requests).toHaveLength(2)
    const ended = await replay(at)
    expect(resultOf(ended)).toMatchObject({ same: true, exchanges: 2 })
    expect(server.requests).toHaveLength(2)
  })

  test('if the model named files by their absolute paths, which are those of the original', async () => {
    let work = ''
    await using server = await startModelServer((_request, number) => {
      const file = join(work, 'a.txt')
      if (number === 1) return calls('write', { path: file, content: 'one\n' })
      if (number === 2) return shell(`cat ${file}; echo two >> ${file}; ls -la ${work}; date`)
      return number === 3 ? calls('read', { path: file }) : { text: `It is in ${file}.` }
    })
    const at = place(`
prompt: "Work in {{ workspace }}."
checks: { two: 'cat "$PWD/a.txt"; grep -qx two a.txt' }
${agent(server)}
`)
    work = at.work
    expect(await run(at)).toMatchObject({ code: 0 })
    // Work on the original happens elsewhere than the replay.
    writeFileSync(join(at.work, 'a.txt'), 'mine\n')
    expect(resultOf(await replay(at))).toMatchObject({ same: true, exchanges: 4 })
    expect(readFileSync(join(at.work, 'a.txt'), 'utf8')).toBe('mine\n')
    expect(server.requests).toHaveLength(4)
  })

  test('if outputs of checks, with their times, are in the prompts of later iterations', async () => {
    await using server = await startModelServer((_request, number) => counting(number))
    const at = place(`
prompt: "Count. {{ progress }}"
checks:
  three: |
    echo "# duration_ms $(date +%N).5"; echo "ran in $(date +%s%N | cut -c12-15) ms ($(date +%S).2s)"
    date; pwd; test "$(wc -l < log.txt)" -ge 3
${agent(server)}
`)
    expect(await run(at)).toMatchObject({ code: 0 })
    expect(server.requests).toHaveLength(6)
    expect(resultOf(await replay(at))).toMatchObject({ same: true, exchanges: 6, iterations: 3 })
    expect(server.requests).toHaveLength(6)
  })

  test('if the budget ended the run', async () => {
    await using server = await startModelServer((_request, number) => ({
      ...counting(number),
      usage: { input: 3000, output: 500 },
    }))
    const at = place(`
prompt: Count.
checks: { never: 'false' }
limits: { tokens: 16000 }
${agent(server)}
`)
    const ran = await run(at)
    expect(ran.code).toBe(3)
    const asked = server.requests.length
    expect(asked).toBeGreaterThan(2)
    const result = resultOf(await replay(at))
    expect(result).toMatchObject({ same: true, outcome: { type: 'exhausted', limit: 'tokens' } })
    expect(server.requests).toHaveLength(asked)
  })

  test('if the provider failed and was called again, and if the run was rewound', async () => {
    let wrong = true
    await using server = await startModelServer((_request, number) => {
      if (number === 1) return { status: 500, message: 'not now' }
      // The first second iteration: the replay skips it.
      if (number === 4 && wrong) return shell('echo wrong >> log.txt; sleep 3')
      return counting(number - 1)
    })
    const at = place(`
prompt: "Count, as iteration {{ iteration }}."
${three}
${agent(server)}
`)
    const left = await leftAt(at, key, ['run', at.file, '--trust', '--name', 'story'], 'sleep 3')
    expect(left).toBe(130)
    wrong = false
    const resumed = await ctlWith(at, key, '--json', 'resume', 'story', '--from', '1')
    expect(resumed.code).toBe(0)
    expect(readFileSync(join(at.work, 'log.txt'), 'utf8')).toBe('x\nx\nx\n')
    const asked = server.requests.length
    const result = resultOf(await replay(at))
    expect(result).toMatchObject({ same: true, iterations: 3 })
    expect(server.requests).toHaveLength(asked)
    expect((await inspected(at, result.run))['spent']).toEqual(
      (await inspected(at, 'story'))['spent'],
    )
  })

  test('if people were asked: by a code loop, with a model', async () => {
    await using server = await startModelServer([{ text: 'Thank you.' }])
    const at = place('')
    const file = join(at.work, '../loop.ts')
    writeFileSync(
      file,
      `export default {
  workspace: 'work',
  agent: { model: 'anthropic/claude-sonnet-4-5', baseUrl: '${server.url}', apiKeyEnv: 'MODEL_KEY' },
  limits: { iterations: 1 },
  loop: {
    name: 'asking',
    createContext: () => null,
    async iterate(_context, it) {
      const { answer, who } = await it.ask('tone', { text: 'Which?', options: ['kind', 'curt'], default: 'curt' })
      await it.sleep('nap', 50)
      return (await it.agent('maker', { prompt: 'Be ' + answer + ', says ' + who })).text
    },
    extractProgress: (text) => text,
  },
}
`,
    )
    const running = ctlWith(
      at,
      key,
      '--json',
      'run',
      file,
      '--trust',
      '--in-place',
      '--name',
      'story',
    )
    await expect
      .poll(async () => (await ctl(at, 'answer', 'story', 'tone', 'kind')).code, {
        timeout: 60_000,
        interval: 200,
      })
      .toBe(0)
    expect((await running).code).toBe(3)
    expect(JSON.stringify(server.requests[0]?.body)).toContain(`Be kind, says ${localUser()}`)
    expect(resultOf(await replay(at))).toMatchObject({ same: true, exchanges: 1 })
    expect(server.requests).toHaveLength(1)
  })

  test('if the agent is a script, which runs again', async () => {
    const at = place(`
prompt: Count.
${three}
agent: { script: [[{ call: run, args: { command: echo x >> log.txt } }, { say: ok }]] }
`)
    expect(await run(at)).toMatchObject({ code: 0 })
    const ended = await ctl(at, 'replay', 'story')
    expect(ended.code).toBe(0)
    expect(ended.stdout).toContain('the same as story: 3 iterations')
    expect(ended.stdout).toContain('No exchange with a model was recorded')
  })
})
