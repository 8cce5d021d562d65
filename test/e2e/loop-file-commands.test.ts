/** What loopctl prints about loop files: validate, trust, dry runs, and refusals. */

import { spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ctl, environment, loopctl, place } from './loop-fixture.ts'

const loop = `
input: { goal: pass, size: 3 }
prompt: "{{ input.goal }} {{ progress }}"
checks: { ok: 'true' }
agent: { script: [[{ say: ok }]] }
`

test('validate prints file, line, column and reason for each problem, and exits with 65', async () => {
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
  expect(good.code).toBe(0)
  expect(good.stdout).toContain(`${at.file}: ok\nscope `)
  const listed = JSON.parse((await ctl(at, '--json', 'validate', at.file)).stdout) as object
  expect(listed).toMatchObject({ ok: true, variables: ['input.goal', 'progress'] })
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
  const dry = await ctl(at, 'run', at.file, '--dry-run', '--input', 'goal=win')
  expect(dry.code).toBe(0)
  expect(dry.stdout).toContain('The first prompt:\nwin')
  expect((await ctl(at, 'list')).stdout).toContain('No runs yet')
  const json = await ctl(at, '--json', 'run', at.file, '--dry-run')
  expect(JSON.parse(json.stdout)).toMatchObject({ workspace: at.work, prompt: 'pass' })
})

test('a dry run warns of a missing key, as validate does', async () => {
  const at = place(
    "prompt: x\nagent: { model: anthropic/claude-sonnet-4-5 }\nchecks: { ok: 'true' }\n",
  )
  const warning = /warning: agent\.model: .*set ANTHROPIC_API_KEY, or put it in .*keys/
  expect((await ctl(at, 'run', at.file, '--dry-run')).stdout).toMatch(warning)
  expect((await ctl(at, 'validate', at.file)).stdout).toMatch(warning)
  expect((await ctl(at, 'run', at.file, '--trust')).stderr).toContain('loopwright/keys')
})

test('inputs that the file does not have are refused with the nearest name', async () => {
  const at = place(loop)
  const ended = await ctl(at, 'run', at.file, '--trust', '--input', 'gaol=x')
  expect(ended.code).toBe(64)
  expect(ended.stderr).toContain('Did you mean "goal"?')
})

test('a home folder is not used as a workspace by accident', async () => {
  const at = place(loop)
  writeFileSync(at.file, loop)
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: at.work,
    LOOPWRIGHT_STATE: at.state,
    LOOP_USE_DAEMON: '0',
  }
  const { execFile } = await import('node:child_process')
  const stderr = await new Promise<string>((resolve) => {
    const args = [loopctl, 'run', at.file, '--trust']
    execFile(process.execPath, args, { env, cwd: at.work }, (_error, _out, text) => resolve(text))
  })
  expect(stderr).toContain('--workspace')
})

test('a missing file is reported with existing ones', async () => {
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

test('a dry run shows the prompt as the first iteration would have it', async () => {
  const at = place(`
prompt: "{{ budget.iterations }} {{ budget.cost }} {{ workspace }}"
checks: { ok: 'true' }
agent: { script: [[{ say: ok }]] }
`)
  const limits = ['--iterations', '7', '--cost', '2.5']
  const json = await ctl(at, '--json', 'run', at.file, '--dry-run', ...limits)
  expect(JSON.parse(json.stdout)).toMatchObject({ prompt: `7 2.5 ${at.work}` })
})

test('the same file elsewhere is not trusted: it would run other files', async () => {
  const at = place(loop)
  expect((await ctl(at, 'run', at.file, '--trust')).code).toBe(0)
  const copy = join(at.work, 'loop.yaml')
  writeFileSync(copy, readFileSync(at.file))
  expect((await ctl(at, 'run', copy)).code).toBe(77)
})

test('neither the loop file nor our own log in the workspace is restored with the work', async () => {
  const at = place(loop)
  const file = join(at.work, 'loop.yaml')
  const check = 'echo "# edited meanwhile" >> loop.yaml; echo more >> by-check.txt; true'
  writeFileSync(file, loop.replace("ok: 'true'", `ok: '${check}'`))
  const log = join(at.work, 'run.log')
  const output = openSync(log, 'w')
  const args = [loopctl, 'run', file, '--trust', '--in-place', '--workspace', at.work]
  const child = spawn(process.execPath, args, {
    env: environment(at.state),
    stdio: ['ignore', output, output],
  })
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
  expect(readFileSync(file, 'utf8')).toContain('# edited meanwhile')
  expect(readFileSync(log, 'utf8')).toContain('completed: checks-pass')
  expect(existsSync(join(at.work, 'by-check.txt'))).toBe(false)
  expect(readFileSync(log, 'utf8')).toContain('changed while a check ran')
})

test('a workspace that does not exist is reported, and no run is created', async () => {
  const at = place(loop)
  const ended = await ctl(at, 'run', at.file, '--trust', '--workspace', join(at.work, 'nowhere'))
  expect(ended.code).toBe(64)
  expect(ended.stderr).toContain('nowhere does not exist')
  expect((await ctl(at, 'list')).stdout).toContain('No runs yet')
})

test('validate warns of what will be missed', async () => {
  const at = place(`
prompt: x
checks: { ok: 'true' }
agent: { command: [no-such-program], env: [NO_SUCH_VARIABLE] }
`)
  const { code, stdout } = await ctl(at, 'validate', at.file)
  expect(code).toBe(0)
  expect(stdout).toContain('warning: agent.command: the program no-such-program was not found')
  expect(stdout).toContain('warning: agent.env: NO_SUCH_VARIABLE is not set')
})
