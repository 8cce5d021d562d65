// The catalog: its loop files are valid, say what the list says, and are written into a project as they are.

import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { catalogLoops } from '../../src/launch/catalog/catalog-loops.ts'
import { afterStory } from '../after.ts'
import { environment } from '../e2e/loop-fixture.ts'
import { openGithub } from '../github/github.ts'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'

const root = resolve(import.meta.dirname, '../..')
const names = catalogLoops.map(({ name }) => name)

interface Project {
  readonly folder: string
  readonly state: string
  ctl(...args: readonly string[]): Promise<Ended>
}

function project(
  files: Readonly<Record<string, string>> = {},
  PATH = process.env['PATH'],
): Project {
  const top = mkdtempSync(join(tmpdir(), 'loopwright-catalog-'))
  afterStory(() => rmSync(top, { recursive: true, force: true }))
  const [folder, state] = [join(top, 'project'), join(top, 'state')]
  for (const one of [folder, state]) mkdirSync(one)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const ctl = (...args: readonly string[]) =>
    warmLoopctl(args, environment(state, PATH === undefined ? {} : { PATH }), folder)
  return { folder, state, ctl }
}

const linesOf = ({ stdout }: Ended): readonly Record<string, unknown>[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('the package contains a file for each entry, and no other', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly files: readonly string[]
  }
  expect(files).toContain('catalog')
  expect(readdirSync(join(root, 'catalog')).toSorted()).toEqual(
    names.map((name) => `${name}.yaml`).toSorted(),
  )
})

test('the list has the seven chores with their cadences, levels, actions and limits', async () => {
  const { ctl, folder, state } = project()
  const listed = linesOf(await ctl('--json', 'catalog'))
  expect(
    listed.map(({ name, cadence, level, action, dailyTokens }) => [
      name,
      cadence,
      level,
      action,
      dailyTokens,
    ]),
  ).toEqual([
    ['daily-triage', 'daily 09:00', 1, 'report', 100_000],
    ['pr-babysitter', 'every 10m', 1, 'comment', 2_000_000],
    ['ci-sweeper', 'every 10m', 2, 'apply-patch', 1_000_000],
    ['dependency-sweeper', 'daily 04:00', 2, 'open-pr', 500_000],
    ['changelog-drafter', 'daily 18:00', 1, 'draft', 100_000],
    ['post-merge-cleanup', 'every 6h', 1, 'report', 200_000],
    ['issue-triage', 'every 2h', 1, 'comment', 80_000],
  ])
  for (const { reads, needs } of listed) expect([reads, needs]).not.toContainEqual([])
  const { stdout } = await ctl('catalog')
  expect(stdout).toMatch(/^NAME +CADENCE +LEVEL +ACTION +NEEDS\n/)
  expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([])
  // Looking changes nothing.
  expect([readdirSync(folder), readdirSync(state)]).toEqual([[], []])
})

test.each(names)(
  '%s is written as it is, valid and trusted, and never over another file',
  async (name) => {
    const { ctl, folder } = project({
      'package.json': '{ "scripts": { "test": "node --test" } }\n',
    })
    const added = await ctl('--json', 'catalog', 'add', name, '--agent', 'my-agent --headless')
    expect(added).toMatchObject({ code: 0, stderr: '' })
    const [written] = linesOf(added)
    const shown = `loops/${name}.yaml`
    expect(written).toMatchObject({
      name,
      file: join(folder, shown),
      agent: { command: ['my-agent', '--headless'] },
      next: [
        `loopctl validate ${shown}`,
        `loopctl run ${shown}`,
        expect.stringMatching(`^loopctl schedule add ${shown} '(daily|every) `) as unknown,
      ],
    })
    const text = readFileSync(join(folder, shown), 'utf8')
    expect(text).toMatch(/^# yaml-language-server: \$schema=\/.*schemas\/loop\.schema\.json\n/)
    expect(text).toContain('\nworkspace: ..\n')
    const valid = await ctl('--json', 'validate', shown)
    expect(linesOf(valid)).toMatchObject([{ ok: true, problems: [] }])
    expect((await ctl('trust')).stdout).toContain(shown)
    const again = await ctl('catalog', 'add', name)
    expect(again).toMatchObject({ code: 64, stdout: '' })
    expect(again.stderr).toContain(`loopctl catalog add ${name} <another name>`)
    expect(readFileSync(join(folder, shown), 'utf8')).toBe(text)
    expect((await ctl('catalog', 'add', name, 'second')).code).toBe(0)
    expect(readdirSync(join(folder, 'loops')).toSorted()).toEqual(
      [`${name}.yaml`, 'second.yaml'].toSorted(),
    )
  },
)

test('the agent, the checks and the registries are those of the project', async () => {
  const { ctl, folder } = project({ 'pyproject.toml': '[tool.pytest.ini_options]\n' })
  const { stdout } = await ctl('catalog', 'add', 'dependency-sweeper')
  expect(stdout).toContain(
    'Before you run it: claude is not installed. Run: loopctl agents add claude',
  )
  const text = readFileSync(join(folder, 'loops/dependency-sweeper.yaml'), 'utf8')
  expect(text).toContain('network: [ pypi.org, files.pythonhosted.org ]')
  expect(text).toContain('test: python3 -m pytest\n')
  await ctl('catalog', 'add', 'ci-sweeper', '--check', 'unit=make test')
  expect(readFileSync(join(folder, 'loops/ci-sweeper.yaml'), 'utf8')).toContain('unit: make test\n')
})

test('what is missing is said before anything is spent', async () => {
  const top = mkdtempSync(join(tmpdir(), 'loopwright-catalog-gh-'))
  afterStory(() => rmSync(top, { recursive: true, force: true }))
  const github = openGithub(top)
  const { ctl, folder } = project({ 'a.txt': 'a\n' }, github.path)
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
      cwd: folder,
    })
  const add = async (file: string) =>
    (await ctl('catalog', 'add', 'issue-triage', file, '--agent', './agent')).stdout
  git('init', '-q', '-b', 'main')
  expect(await add('one')).toContain('Before you run it: The loop uses issues, comment, git-log: ')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  expect(await add('two')).toContain('has no remote "origin"')
  git('remote', 'add', 'origin', 'https://github.com/acme/shop.git')
  expect(await add('three')).not.toContain('Before you run it')
  github.logOut()
  expect(await add('four')).toContain('gh has no login for github.com')
  const run = await ctl('run', 'loops/three.yaml')
  expect(run.code).toBe(78)
  expect(run.stderr).toContain('gh auth login --hostname github.com')
  // Nothing was made for a run.
  expect((await ctl('--json', 'list')).stdout).toBe('')
})

test('a loop that changes files needs a check; a name that is not known is answered with the nearest', async () => {
  const { ctl, folder } = project()
  const refused = await ctl('catalog', 'add', 'ci-sweeper')
  expect(refused).toMatchObject({ code: 78 })
  expect(refused.stderr).toContain("--check 'make test'")
  expect((await ctl('catalog', 'show', 'ci-sweper')).stderr).toContain('did you mean ci-sweeper?')
  expect(existsSync(join(folder, 'loops'))).toBe(false)
  const shown = await ctl('catalog', 'show', 'ci-sweeper')
  expect(shown.stdout).toContain('propose: apply-patch')
})
