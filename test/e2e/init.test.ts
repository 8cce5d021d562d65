/** `loopctl init`, by the built program in folders of projects. */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'
import { environment, type Place, place } from './loop-fixture.ts'
import { installFake, withPath } from './program-fixture.ts'

const key = 'sk-real-0123456789abcdef'

function init(
  { state, work }: Place,
  args: readonly string[],
  { env = {}, folder = '.', command = 'init' } = {},
): Promise<Ended> {
  const words = [...command.split(' '), ...args]
  return warmLoopctl(words, environment(state, env), join(work, folder))
}

function project(files: Readonly<Record<string, string>>): Place {
  const at = place('')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(at.work, name)), { recursive: true })
    writeFileSync(join(at.work, name), text)
  }
  return at
}

const git = (at: Place, ...args: string[]): void =>
  void execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
    cwd: at.work,
  })

const quick = '--no-preflight'
const manifest = '{ "scripts": { "test": "node --test", "lint": "eslint --fix ." } }\n'
const written = (at: Place, name = 'loops/fix.yaml'): string =>
  readFileSync(join(at.work, name), 'utf8')

describe('loopctl init --yes', () => {
  test('writes a loop file that is valid and trusted: run works at once', async () => {
    const at = project({ 'package.json': manifest, 'README.md': 'Hello\n' })
    git(at, 'init', '-q', '-b', 'main')
    git(at, 'add', '.')
    git(at, 'commit', '-q', '-m', 'A project')
    const args = ['--yes', '--agent', 'touch done.txt', '--check', 'test -f done.txt']
    const first = await init(at, args)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(
      /^Preflight:\n(?:✓ .*\n)+fix is ready to run\.\n\nRun it: loopctl run\n$/m,
    )
    expect(written(at)).toMatch(
      /^# yaml-language-server: \$schema=\/.*schemas\/loop\.schema\.json\n/,
    )
    const valid = await init(at, ['loops/fix.yaml'], { command: 'validate' })
    expect(valid.code).toBe(0)
    expect(valid.stdout).toMatch(/^loops\/fix\.yaml: ok\nscope/)
    // A second loop file that is not committed does not count as uncommitted work.
    expect((await init(at, ['docs', ...args, quick])).stdout).toContain(
      'loopctl run loops/docs.yaml',
    )
    const run = await init(at, ['loops/fix.yaml', '--attended'], { command: 'run' })
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('certified') })
  })

  test('chooses the agent that is ready, and the checks of the project that change nothing', async () => {
    const at = project({ 'package.json': manifest })
    const env = { ...withPath(installFake('')), ANTHROPIC_API_KEY: key }
    const { code, stdout } = await init(at, ['--yes', quick], { env, command: '--json init' })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      file: join(at.work, 'loops', 'fix.yaml'),
      agent: 'claude',
      checks: { test: 'npm test' },
      stacks: [{ name: 'node', folder: '', manifest: 'package.json' }],
      notes: [],
      next: 'loopctl run',
    })
    expect(`${stdout}${written(at)}`).not.toContain(key)
  })

  test('says what the agent lacks', async () => {
    const at = project({ 'pyproject.toml': '[tool.pytest.ini_options]\n' })
    expect((await init(at, ['--yes', quick])).stdout).toContain('Run: loopctl agents add claude')
    const env = withPath(installFake(''))
    const keyless = await init(at, ['again', '--yes', quick], { env })
    expect(keyless.stdout).toContain('claude has no key. Set ANTHROPIC_API_KEY')
    expect(written(at)).toContain('test: python3 -m pytest\n')
  })

  test('never overwrites, and names the file and the alternative', async () => {
    const at = project({ 'package.json': manifest, 'loops/fix.yaml': 'mine\n' })
    const refused = await init(at, ['--yes'])
    expect(refused).toMatchObject({ code: 64, stdout: '' })
    expect(refused.stderr).toContain('loops/fix.yaml exists')
    expect(refused.stderr).toContain('loopctl init <name>')
    expect(written(at)).toBe('mine\n')
  })

  test('in an unknown kind of project it needs a check', async () => {
    const at = project({ 'notes.txt': '' })
    const refused = await init(at, ['--yes'])
    expect(refused).toMatchObject({
      code: 78,
      stderr: expect.stringContaining("--check 'make test'"),
    })
    const named = [
      '--yes',
      quick,
      '--check',
      './verify.sh',
      '-p',
      'Say: "hello", {{ name }}\nTwice.',
    ]
    expect((await init(at, ['my.yaml', ...named])).code).toBe(0)
    expect(written(at, 'my.yaml')).toContain('workspace: .\n')
    const prompt = await init(at, ['my.yaml'], { command: 'prompt' })
    expect(prompt.stdout).toContain('Say: "hello", {{ name }}\nTwice.')
  })

  test('in a package of a workspace it proposes the checks of that package', async () => {
    const at = project({
      'package.json': '{ "workspaces": ["packages/*"], "scripts": { "test": "turbo test" } }',
      'pnpm-lock.yaml': '',
      'packages/a/package.json': '{ "scripts": { "test": "vitest run" } }',
      'node_modules/loopwright/schemas/loop.schema.json': '{}',
    })
    mkdirSync(join(at.work, '.git'))
    expect((await init(at, ['--yes', quick], { folder: 'packages/a' })).code).toBe(0)
    const text = written(at, 'packages/a/loops/fix.yaml')
    expect(text).toContain('  test: pnpm run test\n')
    const [, schema = ''] = /\$schema=(\S+)/.exec(text) ?? []
    expect(resolve(at.work, 'packages/a/loops', schema)).toBe(
      join(at.work, 'node_modules/loopwright/schemas/loop.schema.json'),
    )
  })

  test('in a folder of a repository the preflight tries the checks there', async () => {
    const at = project({ 'packages/a/only-here.txt': '' })
    git(at, 'init', '-q', '-b', 'main')
    git(at, 'add', '.')
    git(at, 'commit', '-q', '-m', 'A monorepo')
    const args = ['--yes', '--agent', 'true now', '--check', 'test -f only-here.txt']
    const { stdout } = await init(at, args, { folder: 'packages/a' })
    expect(stdout).toContain('test already passes on the base')
  })

  test('without a terminal and without --yes nothing is written', async () => {
    const at = project({ 'package.json': manifest })
    const refused = await init(at, [])
    expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('--yes') })
    expect((await init(at, ['--yes', '--agent', 'cluade'])).stderr).toContain(
      'Did you mean claude?',
    )
  })
})

describe('loopctl alone', () => {
  const alone = (at: Place, env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
    warmLoopctl([], environment(at.state, env), at.work)

  test('says what is here, offers init and the demo, and creates nothing', async () => {
    const at = project({ 'package.json': manifest })
    mkdirSync(join(at.work, '.git'))
    const env = { ...withPath(installFake('')), ANTHROPIC_API_KEY: key }
    const { code, stdout, stderr } = await alone(at, env)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^folder +.*work, a git repository$/m)
    expect(stdout).toMatch(/^project +Node \(package\.json\)$/m)
    expect(stdout).toMatch(/^loops +none yet$/m)
    expect(stdout).toMatch(/^agents +claude, anthropic\/claude-sonnet-5$/m)
    expect(stdout).toMatch(/^sandbox +strong$/m)
    expect(stdout).toMatch(/^ {2}loopctl init +write .*\n {2}loopctl demo +watch /m)
    expect(stdout).not.toContain(key)
    expect(existsSync(at.state)).toBe(false)
  })

  test('lists loop files, and not every YAML file', async () => {
    const at = project({
      'loops/fix.yaml': 'agent: repair\nchecks: { ok: "true" }\n',
      'docker-compose.yaml': 'services: {}\n',
    })
    const { stdout } = await alone(at)
    expect(stdout).toMatch(/^loops +loops\/fix\.yaml$/m)
    expect(stdout).toMatch(/^ {2}loopctl run loops\/fix\.yaml /m)
    expect(stdout).toMatch(/^folder .*not in a git repository$/m)
  })
})
