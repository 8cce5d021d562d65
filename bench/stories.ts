/** Plays stories of `test/theatre` with real test runners, and reads what they noted. */

import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const runners = ['vitest', 'jest', 'mocha', 'ava']
/** Of Debian; where they cannot be installed, their stories are left out, and with CI=true they fail. */
const programs = [
  { command: 'pytest', aptPackage: 'python3-pytest', why: 'stories with pytest' },
  { command: 'cargo', aptPackage: 'cargo', why: 'stories with cargo test' },
  { command: 'go', aptPackage: 'golang', why: 'stories with go test' },
]

/** Preferred: another one loads the plugins that happen to be installed beside it, in every check. */
const debianPytest = {
  command: 'pytest-3',
  aptPackage: 'python3-pytest',
  why: 'pytest without further plugins',
}

/** As `test/theatre/chosen.ts` writes them. */
export interface Told {
  readonly set: string
  readonly name: string
  readonly runner: string
  readonly class?: number
  readonly ended: string
  readonly isBad: boolean
  readonly expected?: string
  readonly checkMs: number
  readonly certifyMs: number
}

export interface Failure {
  readonly name: string
  readonly message: string
}

interface Report {
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

export interface TellOptions {
  /** Only those whose names begin with this, one at a time; absent: by scale, two at a time. */
  readonly only?: string
  /** Only those with this test runner. */
  readonly runner?: Told['runner']
}

export interface Stories {
  readonly told: readonly Told[]
  readonly failures: readonly Failure[]
}

/** As `test/theatre/story.ts` names them. */
export const storyRunners: readonly string[] = [
  'other',
  'node:test',
  'vitest',
  'jest',
  'mocha',
  'ava',
  'pytest',
  'cargo',
  'go',
]

/** Call with the folder of the installed test runners, which can be used for many calls of `tellStories`. */
export async function withTestRunners<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
  try {
    await prepareRunners(folder)
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function tellStories(
  scale: number,
  installed: string,
  { only, runner }: TellOptions = {},
): Promise<Stories> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
  const toldFile = join(folder, 'told.jsonl')
  const reportFile = join(folder, 'report.json')
  try {
    const isWhole = scale >= 1 || only !== undefined
    const env = {
      ...process.env,
      PATH: preferDebian(process.env['PATH'] ?? ''),
      // The proof and the benchmarks build first.
      LOOPWRIGHT_BUILT: '1',
      LOOPWRIGHT_RUNNERS: installed,
      LOOPWRIGHT_STORIES: isWhole ? 'all' : '1',
      LOOPWRIGHT_STORIES_SHARE: String(scale),
      LOOPWRIGHT_STORIES_REPORT: toldFile,
      ...(runner !== undefined && { LOOPWRIGHT_STORIES_RUNNER: runner }),
    }
    const atATime = ['--maxWorkers=1', `--maxConcurrency=${only === undefined ? 2 : 1}`]
    const named = only === undefined ? [] : ['-t', only]
    const reporter = ['--reporter=json', `--outputFile=${reportFile}`]
    await runVitest(['test/theatre', ...atATime, ...named, ...reporter], env)
    const lines = existsSync(toldFile) ? readFileSync(toldFile, 'utf8').trim().split('\n') : []
    const told = lines.map((line) => JSON.parse(line) as Told)
    return { told, failures: failuresOf(JSON.parse(readFileSync(reportFile, 'utf8')) as Report) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Once for all stories, which take hard links of them. */
async function prepareRunners(folder: string): Promise<void> {
  const needs = (await import(pathToFileURL(join(root, 'scripts', 'needs.mjs')).href)) as {
    meetSystemNeeds(needs: readonly object[]): void
  }
  try {
    needs.meetSystemNeeds(programs)
  } catch (error) {
    if (process.env['CI'] === 'true') throw error
  }
  try {
    needs.meetSystemNeeds([debianPytest])
  } catch {
    // Any other pytest will do.
  }
  for (const runner of runners) {
    const to = join(folder, runner)
    mkdirSync(to, { recursive: true })
    cpSync(join(root, 'test', 'theatre', 'runners', runner), to, { recursive: true })
    const args = ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund']
    execFileSync('npm', args, { cwd: to, stdio: ['ignore', 'ignore', 'inherit'] })
    removeUnread(join(to, 'node_modules'))
  }
}

const preferDebian = (path: string): string =>
  existsSync('/usr/bin/pytest-3') ? ['/usr/bin', path].join(delimiter) : path

/** What no runner reads is half of the files, and every story copies them. */
function removeUnread(folder: string): void {
  const unread = ['*.md', '*.map', '*.d.ts', '*.d.mts', '*.d.cts']
  const names = unread.flatMap((name, at) => [...(at === 0 ? [] : ['-o']), '-name', name])
  execFileSync('find', [folder, '-type', 'f', '(', ...names, ')', '-delete'])
}

function runVitest(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [vitest, 'run', ...args], {
      cwd: root,
      env,
      stdio: 'ignore',
    })
    child.on('error', reject)
    child.on('close', () => resolve())
  })
}

const failuresOf = ({ testResults }: Report): readonly Failure[] =>
  testResults.flatMap(({ message, assertionResults }): readonly Failure[] => {
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    if (failed.length === 0 && message !== '') return [{ name: 'test/theatre', message }]
    return failed.map(({ fullName, failureMessages = [] }) => ({
      name: fullName,
      message: failureMessages.join('\n').split('\n').slice(0, 3).join(' '),
    }))
  })
