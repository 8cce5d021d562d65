/**
 * Loop files whose agent is a known program, run by the built loopctl: found on the PATH, started
 * in the sandbox, with its model behind the gateway. The provider is scripted.
 */

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startModelServer } from '../../src/testing/model-server.ts'
import { inProof } from '../share.ts'
import { behind, billOf, notesOf, spentOf } from './gateway-fixture.ts'
import { ctl, ctlWith, type Ended, endOf, eventsOf, type Place, place } from './loop-fixture.ts'
import { installFake, withPath } from './program-fixture.ts'

const key = 'sk-real-0123456789abcdef'
const loop =
  'prompt: "Do it. {{ progress }}"\nchecks: { done: test -e done.txt }\nlimits: { iterations: 2 }\n'

const honest = `
writeFileSync('done.txt', await ask(prompt))
end('It is done.')
`

const watched = `
const answer = await ask(prompt)
const seen = { argv: process.argv.slice(2), env: process.env, home: readdirSync(home) }
writeFileSync('seen.json', JSON.stringify(seen))
writeFileSync(home + '/left', 'x')
writeFileSync('done.txt', answer)
end('It is done.')
`

const run = (at: Place, env: NodeJS.ProcessEnv, ...more: string[]): Promise<Ended> =>
  ctlWith(at, env, '--json', 'run', at.file, '--trust', '--name', 'story', ...more)

const reportOf = (ended: Ended): unknown =>
  eventsOf(ended, 'step-finished').find(({ step }) => step === 'agent:maker#1')?.['result']

describe('agent: claude', () => {
  test('works in the sandbox, metered, without a key, with its version recorded', async () => {
    await using server = await startModelServer([
      { text: 'Do this.', usage: { input: 700, output: 30 } },
    ])
    const path = withPath(installFake(watched))
    const at = place(`agent: { program: claude, model: claude-opus-5, turns: 7 }\n${loop}`)
    const ended = await run(at, { ...behind(server, key), ...path })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(reportOf(ended)).toMatchObject({
      value: { status: 'done', text: 'It is done.', ended: 'claimed', usage: { tokens: 730 } },
    })
    expect(eventsOf(ended, 'run-started')).toMatchObject([
      {
        agent: { name: 'claude', version: '2.1.325', protocol: 'headless' },
        sandbox: { tier: 'strong' },
      },
    ])
    const text = readFileSync(join(at.work, 'seen.json'), 'utf8')
    expect(text).not.toContain(key)
    const seen = JSON.parse(text) as Record<string, unknown>
    expect(seen).toMatchObject({
      home: [],
      env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:4140', HOME: '/home/agent' },
    })
    expect(seen['argv']).toEqual(expect.arrayContaining(['--model=claude-opus-5', '--max-turns=7']))
    expect(server.requests.map(({ headers, model }) => [headers['x-api-key'], model])).toEqual([
      [key, 'claude-opus-5'],
    ])
    expect((await spentOf(at, 'story')).tokens).toBe(billOf(server))
    expect(notesOf(ended, 'said').map(({ text: said }) => said)).toContain('Do this.')
    expect((await ctl(at, 'inspect', 'story')).stdout).toContain('claude 2.1.325, headless')
  })

  test.each(inProof)('can be replayed offline', async () => {
    await using server = await startModelServer([{ text: 'Do this.' }])
    const path = withPath(installFake(honest))
    const at = place(`agent: claude\n${loop}`)
    expect((await run(at, { ...behind(server, key), ...path })).code).toBe(0)
    const replayed = await ctlWith(at, path, '--json', 'replay', 'story')
    expect(replayed).toMatchObject({ code: 0 })
    expect(endOf(replayed)).toMatchObject({ same: true, outcome: { type: 'completed' } })
    expect(server.requests).toHaveLength(1)
  })

  test('uses another model of its own provider from the command line', async () => {
    await using server = await startModelServer([{ text: 'Do this.' }])
    const path = withPath(installFake(honest))
    const env = { ...behind(server, key), ...path }
    const at = place(`agent: claude\n${loop}`)
    expect((await run(at, env, '--model', 'anthropic/claude-haiku-5')).code).toBe(0)
    expect(server.requests.map(({ model }) => model)).toEqual(['claude-haiku-5'])
    const other = place(`agent: claude\n${loop}`)
    const refused = await run(other, env, '--model', 'openai/gpt-5')
    expect(refused.code).toBe(64)
    expect(refused.stderr).toContain('claude supports models of anthropic')
  })

  test.each(inProof)('that lies about its end has failed, whatever its exit code is', async () => {
    await using server = await startModelServer([{ text: 'Do this.' }])
    const path = withPath(installFake("await ask(prompt)\nend('All good', { is_error: true })"))
    const at = place(`agent: claude\n${loop}`)
    const ended = await run(at, { ...behind(server, key), ...path }, '--iterations', '1')
    expect(ended.code).not.toBe(0)
    expect(reportOf(ended)).toMatchObject({ value: { status: 'failed', ended: 'crashed' } })
  })

  test.each(inProof)(
    'that hangs is ended after being silent too long, and leaves nothing behind',
    async () => {
      await using server = await startModelServer([{ text: 'Do this.' }])
      const path = withPath(installFake("say({ type: 'x' })\nsetInterval(() => {}, 1000)"))
      const at = place(`agent: { program: claude, idle: 1s }\n${loop}`)
      const temporary = join(at.file, '..', 'tmp')
      mkdirSync(temporary)
      const env = { ...behind(server, key), ...path, TMPDIR: temporary }
      const ended = await run(at, env, '--iterations', '1')
      expect(reportOf(ended)).toMatchObject({ value: { status: 'failed', ended: 'idle' } })
      expect(readdirSync(temporary)).toEqual([])
    },
    60_000,
  )

  test('that is missing, or has no key, is refused before there is a run', async () => {
    const at = place(`agent: claude\n${loop}`)
    const nowhere = { PATH: '/usr/bin:/bin' }
    const missing = await run(at, { ...nowhere, ANTHROPIC_API_KEY: key })
    expect(missing.code).toBe(78)
    expect(missing.stderr).toContain('loopctl agents add claude')
    const keyless = await run(at, withPath(installFake(honest)))
    expect(keyless.code).toBe(78)
    expect(keyless.stderr).toContain('ANTHROPIC_API_KEY')
    expect((await ctl(at, 'list')).stdout).toContain('No runs yet')
    const { stdout } = await ctlWith(at, nowhere, 'validate', at.file)
    expect(stdout).toContain('warning: agent: claude is not on the PATH')
  })
})

describe('a program with its own login', () => {
  const own = `
const seen = { argv: process.argv.slice(2), home, url: url ?? null, key: key ?? null }
writeFileSync('seen.json', JSON.stringify(seen))
say({ type: 'assistant', message: { id: 'm', model, content: [{ type: 'text', text: 'Done.' }] } })
writeFileSync('done.txt', 'x')
end('It is done.')
`

  test('works with its own home, outside the sandbox, only if attended', async () => {
    const path = withPath(installFake(own))
    const env = { ...path, ANTHROPIC_API_KEY: key }
    const at = place(`agent: { program: claude, subscription: true }\n${loop}`)
    const refused = await run(at, env)
    expect(refused.code).toBe(69)
    expect(refused.stderr).toContain('this run is unattended')
    const ended = await run(at, env, '--attended')
    expect(ended.code).toBe(0)
    expect(ended.stderr).toContain('outside the sandbox')
    const seen = JSON.parse(readFileSync(join(at.work, 'seen.json'), 'utf8')) as object
    expect(seen).toMatchObject({ home: at.state, url: null, key: null })
    expect(JSON.stringify(seen)).toContain('acceptEdits')
  })

  test('is not used from the workspace, where an agent could have put it', async () => {
    const at = place(`agent: { program: claude, subscription: true }\n${loop}`)
    const folder = join(at.work, 'bin')
    cpSync(installFake(own), folder, { recursive: true, dereference: true })
    const refused = await run(at, withPath(folder), '--attended')
    expect(refused.code).toBe(78)
    expect(refused.stderr).toContain('programs of the project are ignored')
    expect(existsSync(join(at.work, 'seen.json'))).toBe(false)
  })

  test('is refused if only a sandbox protects it from the repository', async () => {
    const at = place(`agent: { program: claude }\n${loop}`)
    writeFileSync(
      at.file,
      readFileSync(at.file, 'utf8').replace('claude }', 'gemini, subscription: true }'),
    )
    const folder = installFake(own)
    renameSync(join(folder, 'claude'), join(folder, 'gemini'))
    const refused = await run(at, withPath(folder), '--attended')
    expect(refused.code).toBe(65)
    expect(refused.stderr).toContain(
      'gemini follows instructions in files of the repository (.gemini)',
    )
  })
})

describe('agent: { acp: … }', () => {
  test('any command that speaks ACP works in the sandbox, by the rules of the file', async () => {
    const fake = resolve('test/agents/fakes/acp.mjs')
    const acp = (permissions: string): Place =>
      place(
        `agent: { acp: [node, ${fake}, honest], permissions: ${permissions} }\n` +
          'prompt: Write it.\nchecks: { out: test -e out.txt }\nlimits: { iterations: 1 }\n',
      )
    const at = acp('edits')
    const ended = await run(at, {})
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(reportOf(ended)).toMatchObject({ value: { status: 'done', ended: 'claimed' } })
    expect(eventsOf(ended, 'run-started')).toMatchObject([
      { agent: { name: 'node', protocol: 'acp' }, sandbox: { tier: 'strong' } },
    ])
    const refused = await run(acp('reads'), {})
    expect(refused.code).toBe(3)
    expect(reportOf(refused)).toMatchObject({ value: { status: 'failed', ended: 'refused' } })
  })
})
