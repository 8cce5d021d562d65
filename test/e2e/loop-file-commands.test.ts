/** What loopctl says about loop files: validate, trust, dry runs, and what it refuses. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ctl, place } from './loop-fixture.ts'

const loop = `
input: { goal: pass, size: 3 }
prompt: "{{ input.goal }} {{ progress }}"
checks: { ok: 'true' }
agent: { script: [[{ say: ok }]] }
`

test('validate says file, line, column and reason for each problem, and exits with 65', async () => {
  const at = place(
    'prompt: "{{ inptu.goal }}"\nagent: { script: [[{ say: x }]] }\nchecks: { a: "true" }',
  )
  const template = await ctl(at, 'validate', at.file)
  expect(template.code).toBe(65)
  expect(template.stdout).toMatch(/loop\.yaml:2:\d+: .*inptu.*input/)
  writeFileSync(at.file, 'promt: x\nagent: { command: [] }\nchecks: { a: "true" }\n')
  const keys = await ctl(at, 'validate', at.file)
  expect(keys.code).toBe(65)
  expect(keys.stdout).toMatch(/loop\.yaml:1:1: promt: .*did you mean prompt/)
  expect(keys.stdout).toMatch(/loop\.yaml:2:\d+: agent\.command: /)
  const json = await ctl(at, '--json', 'validate', at.file)
  expect(JSON.parse(json.stdout)).toMatchObject({
    ok: false,
    problems: [{ line: 1 }, { line: 1 }, { line: 2 }],
  })
  writeFileSync(at.file, loop)
  const good = await ctl(at, 'validate', at.file)
  expect(good).toMatchObject({ code: 0, stdout: `${at.file}: ok\n` })
})

test('without a terminal an untrusted file is refused, with what it would do and the command', async () => {
  const at = place(loop)
  const refused = await ctl(at, 'run', at.file)
  expect(refused.code).toBe(77)
  expect(refused.stderr).toContain(`loopctl trust ${at.file}`)
  expect(refused.stderr).toContain('runs the check ok: true')
  expect((await ctl(at, 'trust', at.file)).code).toBe(0)
  expect((await ctl(at, 'run', at.file)).code).toBe(0)
  expect((await ctl(at, 'trust')).stdout).toContain(at.file)
  writeFileSync(at.file, `${readFileSync(at.file, 'utf8')}# changed\n`)
  expect((await ctl(at, 'run', at.file)).code).toBe(77)
  expect((await ctl(at, 'trust', at.file)).code).toBe(0)
  expect((await ctl(at, 'trust', at.file, '--forget')).code).toBe(0)
  expect((await ctl(at, 'run', at.file)).code).toBe(77)
})

test('a dry run shows the plan and the first prompt, and starts nothing', async () => {
  const at = place(loop)
  const dry = await ctl(at, 'run', at.file, '--trust', '--dry-run', '--input', 'goal=win')
  expect(dry.code).toBe(0)
  expect(dry.stdout).toContain('The first prompt:\nwin')
  expect((await ctl(at, 'list')).stdout).toContain('No runs yet')
  const json = await ctl(at, '--json', 'run', at.file, '--dry-run')
  expect(JSON.parse(json.stdout)).toMatchObject({ workspace: at.work, prompt: 'pass' })
})

test('inputs that the file does not have are refused with the nearest name', async () => {
  const at = place(loop)
  const ended = await ctl(at, 'run', at.file, '--trust', '--input', 'gaol=x')
  expect(ended.code).toBe(64)
  expect(ended.stderr).toContain('Did you mean "goal"?')
})

test('a home folder is not worked on by chance', async () => {
  const at = place(loop)
  writeFileSync(at.file, loop)
  const env = { PATH: process.env['PATH'] ?? '', HOME: at.work, LOOPWRIGHT_STATE: at.state }
  const { execFile } = await import('node:child_process')
  const loopctl = new URL('../../dist/cli/loopctl.js', import.meta.url).pathname
  const stderr = await new Promise<string>((resolve) => {
    const args = [loopctl, 'run', at.file, '--trust']
    execFile(process.execPath, args, { env, cwd: at.work }, (_error, _out, text) => resolve(text))
  })
  expect(stderr).toContain('--workspace')
})

test('a file that is not there is said to be so, with others that are', async () => {
  const at = place(loop)
  const ended = await ctl(at, 'run', join(at.file, '../lop.yaml'))
  expect(ended.code).toBe(66)
  expect(ended.stderr).toContain('loop.yaml')
})

test('errors are JSON for programs', async () => {
  const at = place(loop)
  const ended = await ctl(at, '--json', 'run', at.file)
  expect(ended.code).toBe(77)
  expect(JSON.parse(ended.stderr)).toMatchObject({ error: { code: 'not-trusted' } })
})
