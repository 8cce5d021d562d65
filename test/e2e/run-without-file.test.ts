/** `loopctl run --agent … --check … -p …`: a run without a loop file. */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ctl, ctlWith, environment, loopctl, place } from './loop-fixture.ts'
import { installFake, withPath } from './program-fixture.ts'

const key = 'sk-real-0123456789abcdef'
const parts = ['--agent', 'touch done.txt', '--check', 'test -f done.txt']
const task = 'Write {{ the }} file: done.'

test('a loop from options runs, is stored by its content and trusted, and can be forked', async () => {
  const at = place('')
  const here = ['--workspace', at.work, '--attended', '--in-place']
  const first = await ctl(at, 'run', ...parts, '-p', task, ...here, '--name', 'first')
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toContain('first  write-the-file-done  in')
  // The task is plain text, not a template.
  expect((await ctl(at, 'show', 'first', '1', '--prompt')).stdout).toContain(task)
  const loops = join(at.state, 'loops')
  const [file = ''] = readdirSync(loops)
  expect(file).toMatch(/^write-the-file-done-[0-9a-f]{12}\.yaml$/)
  expect((await ctl(at, 'validate', join(loops, file))).code).toBe(0)
  expect((await ctl(at, 'trust')).stdout).toContain(file)
  const again = ['--again', '--name', 'second']
  expect((await ctl(at, 'run', ...parts, '-p', task, ...here, ...again)).code).toBe(0)
  expect(readdirSync(loops)).toEqual([file])
  const forked = await ctl(at, 'fork', 'first', '--at', '0', '--name', 'forked', '--attended')
  expect(forked).toMatchObject({ code: 0, stdout: expect.stringContaining('completed') })
})

test('a dry run stores nothing', async () => {
  const at = place('')
  const { code, stdout } = await ctl(
    ...([at, 'run', ...parts, '-p', task, '--workspace', at.work, '--dry-run'] as const),
  )
  expect(code).toBe(0)
  expect(stdout).toContain('check      test: test -f done.txt')
  expect(stdout).toContain(task)
  expect(existsSync(at.state)).toBe(false)
})

test('without --agent and --check, the only installed agent and the checks of the project are used', async () => {
  const at = place('', { 'package.json': '{ "scripts": { "test": "true", "lint": "x --fix" } }' })
  const env = { ...withPath(installFake('')), ANTHROPIC_API_KEY: key }
  const asked = ['run', '-p', 'Do it.', '--workspace', at.work, '--dry-run']
  const found = await ctlWith(at, env, ...asked)
  expect(found.stderr).toBe('agent: claude (installed)\ncheck test: npm test\n')
  expect(found.stdout).toMatch(/^check +test: npm test /m)
  expect(found.stdout).not.toContain('--fix')
  const nobody = await ctl(at, ...asked)
  expect(nobody).toMatchObject({ code: 78, stderr: expect.stringContaining('--agent repair') })
  writeFileSync(join(at.work, 'package.json'), '{}')
  const nothing = await ctlWith(at, env, ...asked)
  expect(nothing).toMatchObject({
    code: 78,
    stderr: expect.stringContaining("--check 'make test'"),
  })
})

test('a mistake in the options is answered with what to change', async () => {
  const at = place('')
  const inPlace = ['-p', 'Do it.', '--in-place', '--workspace', at.work]
  const yaml = await ctl(at, 'run', '--agent', '{ model: a/b }', '--check', 'true', ...inPlace)
  expect(yaml).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('--agent anthropic/claude-sonnet-5'),
  })
  const typo = await ctl(at, 'run', '--agent', 'repair', '--check', 'npm tset', ...inPlace)
  expect(typo.code).toBe(1)
  expect(typo.stdout).toContain('npm has no command "tset"')
  // The stored loop would repeat the mistake.
  expect(typo.stdout).toContain('When this is fixed: run it again')
})

test('the prompt may be a file, or standard input', async () => {
  const at = place('', { 'task.md': 'From a file.\n' })
  const asked = ['run', ...parts, '--workspace', at.work, '--dry-run', '-p']
  const file = await ctl(at, ...asked, `@${join(at.work, 'task.md')}`)
  expect(file.stdout).toContain('From a file.')
  const options = { env: environment(at.state), input: 'From a pipe.', encoding: 'utf8' } as const
  expect(spawnSync(process.execPath, [loopctl, ...asked, '-'], options).stdout).toContain(
    'From a pipe.',
  )
})

test('in a package of a workspace, its scripts are run by the manager of the workspace', async () => {
  const at = place('', {
    'package.json': '{ "packageManager": "pnpm@9.1.0", "devDependencies": { "typescript": "5" } }',
  })
  mkdirSync(join(at.work, '.git'))
  const inner = join(at.work, 'packages', 'a')
  mkdirSync(inner, { recursive: true })
  writeFileSync(join(inner, 'package.json'), '{ "scripts": { "test": "vitest run" } }')
  writeFileSync(join(inner, 'tsconfig.json'), '{}')
  const asked = ['run', '--agent', 'repair', '--workspace', inner, '--dry-run', '--in-place']
  const { stdout } = await ctl(at, ...asked, '-p', 'Do it.')
  expect(stdout).toMatch(/^check +test: pnpm run test /m)
  expect(stdout).toMatch(/^check +types: npx --no-install tsc --noEmit /m)
})

test('the loop contains what the options say, and nothing else', async () => {
  const at = place('', {})
  const env = { ANTHROPIC_API_KEY: key }
  const asked = ['--agent', 'anthropic/claude-sonnet-5', '--check', 'unit=true', '-p', 'Do it.']
  await ctlWith(at, env, 'run', ...asked, '--workspace', '/nonexistent/folder')
  const [kept = ''] = readdirSync(join(at.state, 'loops'))
  const text = readFileSync(join(at.state, 'loops', kept), 'utf8')
  expect(text).toContain('agent:\n  model: anthropic/claude-sonnet-5\n')
  expect(text).toContain('checks:\n  unit: "true"\n')
  expect(text).not.toContain(key)
})
