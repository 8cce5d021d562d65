/** Tests come from the runner: one project for each, in the real sandbox, and attempts to forge a report. */

import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import {
  type CommandObserver,
  type Observation,
  observeCommands,
} from '#src/testing/observe-commands.ts'
import { atLeast, atMost, type Result, type Suite } from '../bench/report.ts'
import { forgeries } from './identity-forgeries.ts'
import { type RunnerProject, runnerProjects } from './identity-projects.ts'

const projectsMin = 14
const forgeriesMin = 9

export const identity: Suite = {
  area: ['evidence', 'identity'],
  title: 'which tests each runner reports, and what forged reports look like',
  async run({ note }) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'loopwright-identity-')))
    const observer = await observeCommands()
    try {
      return await prove(observer, folder, note)
    } finally {
      await observer.close()
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

async function prove(
  observer: CommandObserver,
  folder: string,
  note: (text: string) => void,
): Promise<readonly Result[]> {
  const there = runnerProjects.filter(({ needs }) => needs === undefined || isInPath(needs))
  const missing = runnerProjects.filter((one) => !there.includes(one)).map(({ name }) => name)
  const wrong: string[] = []
  for (const project of there) {
    const problems = await tryProject(observer, folder, project)
    note(`  ${project.name}: ${problems.length === 0 ? 'as expected' : problems.join('; ')}`)
    wrong.push(...problems.map((problem) => `${project.name}: ${problem}`))
  }
  const unseen: string[] = []
  for (const { name, isSeen, ...forgery } of forgeries) {
    const workspace = makeProject(folder, `forgery ${name}`.replaceAll(/\W/g, '-'), forgery)
    const seen = await observer.observe(workspace, forgery.command)
    if (!isSeen(seen)) unseen.push(`${name}: ${describe(seen).join(', ')}`)
    note(`  ${name}: ${isSeen(seen) ? 'seen' : 'not seen'}`)
  }
  const detail = missing.length === 0 ? '' : `not on this machine: ${missing.join(', ')}`
  return [
    atLeast('identity.runners', there.length, projectsMin, 'runners', detail),
    atMost('identity.wrong-reports', wrong.length, 0, 'reports', wrong.join('; ')),
    atLeast('identity.forgeries', forgeries.length, forgeriesMin, 'attempts'),
    atMost('identity.unseen-forgeries', unseen.length, 0, 'attempts', unseen.join('; ')),
  ]
}

/** As it is, in the other environment, and only one of its tests. */
async function tryProject(
  observer: CommandObserver,
  folder: string,
  project: RunnerProject,
): Promise<readonly string[]> {
  const { name, command, tests, only } = project
  const workspace = makeProject(folder, name.replaceAll(/\W/g, '-'), project)
  const usual = await observer.observe(workspace, command)
  const other = await observer.observe(workspace, command, { environment: 'other' })
  const wanted = usual.tests?.filter(({ id }) => id === only) ?? []
  const some = await observer.observe(workspace, command, { only: wanted })
  const expected = tests.toSorted().join(', ')
  return [
    ...(describe(usual).join(', ') === expected ? [] : [`reported ${describe(usual).join(', ')}`]),
    ...(describe(other).join(', ') === expected ? [] : ['differs in the other environment']),
    ...(describe(some).includes(`failed ${only}`) ? [] : ['does not run one test']),
    ...usual.problems.map(({ text }) => text),
  ]
}

const describe = ({ tests = [] }: Observation): readonly string[] =>
  tests.map(({ id, status }) => `${status} ${id}`).toSorted()

interface Made {
  readonly packages: readonly string[]
  readonly files: Readonly<Record<string, string>>
}

function makeProject(folder: string, name: string, { packages, files }: Made): string {
  const workspace = join(folder, name)
  mkdirSync(workspace)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true })
    writeFileSync(join(workspace, path), content)
  }
  if (packages.length > 0)
    cpSync(install(folder, packages), join(workspace, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    })
  return workspace
}

/** Each set of packages once. */
function install(folder: string, packages: readonly string[]): string {
  const installed = join(folder, `installed-${packages.join('-').replaceAll(/\W/g, '-')}`)
  const modules = join(installed, 'node_modules')
  if (existsSync(modules)) return modules
  mkdirSync(installed)
  writeFileSync(join(installed, 'package.json'), '{"private":true}')
  const flags = ['--silent', '--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', ['install', ...flags, ...packages], { cwd: installed, timeout: 300_000 })
  return modules
}

const isInPath = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((one) => existsSync(join(one, program)))
