/** What the built loopctl shows of models, sandbox and this machine. The model is scripted. */

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startModelServer } from '../../src/testing/model-server.ts'
import { ctl, ctlWith, type Place, place } from './loop-fixture.ts'

const key = 'sk-secret-0123456789abcdef'

const loop = (url: string): string => `
prompt: Make a.txt say two.
checks: { two: grep -qx two a.txt }
agent: { model: anthropic/claude-sonnet-4-5, baseUrl: '${url}', maxOutputTokens: 1000 }
`

describe('a run that called a model', () => {
  async function story(): Promise<Place> {
    await using server = await startModelServer([
      { status: 429, headers: { 'retry-after': '1' } },
      { calls: [{ name: 'read', args: { path: 'a.txt' } }], usage: { input: 900, output: 40 } },
      { calls: [{ name: 'edit', args: { path: 'a.txt', old: 'one', new: 'two' } }] },
      { text: 'I changed it.' },
    ])
    const at = place(loop(server.url), { 'a.txt': 'one\n' })
    const args = ['run', at.file, '--trust', '--name', 'story', '--attended']
    const ended = await ctlWith(at, { ANTHROPIC_API_KEY: key }, ...args)
    expect(ended).toMatchObject({ code: 0 })
    // Waiting is not a failure, and exchanges have no lines.
    expect(ended.stdout).toMatch(/maker +waiting until .*anthropic accepts no requests/)
    expect(ended.stdout).toMatch(/^ {2}(warning: )?(no )?sandbox/m)
    expect(ended.stdout).not.toContain('failed')
    return at
  }

  test('lists each exchange in a table, and shows each one completely, without the key', async () => {
    const at = await story()
    const shown = await ctl(at, 'show', 'story')
    expect(shown.stdout).toContain('3 exchanges with models')
    expect(shown.stdout).toMatch(
      /1 +anthropic claude-sonnet-4-5 +complete +940 \(900 in \/ 40 out\) +\$0\.\d+/,
    )
    const first = await ctl(at, 'show', 'story', '1', '--exchange', '1')
    expect(first.stdout).toMatch(/^request, anthropic format, POST \S*messages$/m)
    expect(first.stdout).toContain('Make a.txt say two.')
    expect(first.stdout).toMatch(/^answer, status 200$/m)
    expect(first.stdout).toContain('2 requests sent')
    const second = await ctl(at, '--json', 'show', 'story', '--exchange', '2')
    expect(JSON.parse(second.stdout)).toMatchObject({
      ordinal: 2,
      provider: 'anthropic',
      ended: 'complete',
      request: { body: { encoding: 'utf8', text: expect.stringContaining('a.txt') } },
    })
    const view = JSON.parse((await ctl(at, '--json', 'show', 'story')).stdout) as {
      exchanges: readonly { ordinal: number; spent: { tokens: number } }[]
    }
    expect(view.exchanges.map(({ ordinal }) => ordinal)).toEqual([1, 2, 3])
    const tail = await ctl(at, 'tail', 'story')
    expect(tail.stdout).toMatch(/started, agent: anthropic\/claude-sonnet-4-5, sandbox: \w+/)
    expect(tail.stdout).toMatch(/waiting until .*anthropic accepts no requests/)
    expect(tail.stdout).toMatch(/called claude-sonnet-4-5 \(3\): complete/)
    expect((await ctl(at, 'inspect', 'story')).stdout).toMatch(/^sandbox +\w+.*attended$/m)
    const all = [shown, first, second, tail].map(({ stdout }) => stdout).join('\n')
    expect(all).not.toContain(key)
  })

  test('lists the existing exchanges if an unknown one is requested', async () => {
    const at = await story()
    const missing = await ctl(at, 'show', 'story', '--exchange', '9')
    expect(missing).toMatchObject({ code: 66, stdout: '' })
    expect(missing.stderr).toContain('has no exchange 9. It has 3.')
    expect(await ctl(at, 'show', 'story', '--exchange', '0')).toMatchObject({ code: 66 })
    expect(await ctl(at, 'show', 'story', '--exchange', 'x')).toMatchObject({ code: 64 })
    const two = await ctl(at, 'show', 'story', '--exchange', '1', '--report')
    expect(two).toMatchObject({ code: 64 })
  })
})

describe('doctor', () => {
  test('needs no state folder, succeeds with warnings, and never shows a key', async () => {
    const at = place(loop('http://127.0.0.1:9'))
    const folder = join(at.state, '.config', 'loopwright')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'keys'), `OPENAI_API_KEY=${key}\n`)
    chmodSync(join(folder, 'keys'), 0o644)
    const env = { ANTHROPIC_API_KEY: key, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }
    const text = await ctlWith(at, env, 'doctor', '--probes')
    expect(text).toMatchObject({ code: 0, stderr: '' })
    expect(text.stdout).toMatch(/^sandbox +[✓!] tier (strong|basic|none)/)
    expect(text.stdout).toContain('✓ anthropic  set (ANTHROPIC_API_KEY)')
    expect(text.stdout).toContain(`Run: chmod 600 ${join(folder, 'keys')}`)
    expect(text.stdout).toContain('requests go to http://127.0.0.1:9/v1, not to its public address')
    expect(text.stdout).toMatch(/no runs yet$/m)
    const json = await ctlWith(at, env, '--json', 'doctor')
    expect(JSON.parse(json.stdout)).toMatchObject({
      sandbox: { tier: expect.any(String), probes: expect.any(Array) },
      keys: { fileState: 'refused', providers: [{ key: 'environment' }, { key: 'none' }, {}] },
      record: { exists: false, problems: [] },
    })
    expect(text.stdout + json.stdout).not.toContain(key)
  })
})
