/**
 * Attacks on certification and their honest counterpart: the stories of `test/theatre`, all of them, with real
 * test runners from the registry and from Debian, two at a time.
 */

import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { atLeast, atMost, median, type Result, type Suite } from '../bench/report.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const runners = ['vitest', 'jest', 'mocha', 'ava']
/** Of Debian; where they cannot be installed, their stories are left out, and with CI=true they fail. */
const programs = [
  { command: 'pytest', aptPackage: 'python3-pytest', why: 'stories with pytest' },
  { command: 'cargo', aptPackage: 'cargo', why: 'stories with cargo test' },
  { command: 'go', aptPackage: 'golang', why: 'stories with go test' },
]
const waysMin = 300
const worksMin = 100
const askedPercentMax = 20
const costMax = 5

export const theatre: Suite = {
  area: 'evidence',
  title: 'attacks on certification, and honest changes',
  share: 0.2,
  async run({ scale, note }) {
    const { told, failures } = await tellStories(scale)
    for (const { name, message } of failures) note(`  ${name}: ${message}`)
    const attacks = told.filter(({ set }) => set === 'theatre')
    const honest = told.filter(({ set }) => set === 'honest')
    const watched = told.filter(({ set }) => set === 'class-10')
    for (const line of [...attackTable(attacks), ...watchedTable(watched)]) note(`  ${line}`)
    const bad = (of: readonly Told[]): number => of.filter(({ isBad }) => isBad).length
    const held = watched.filter(({ expected }) => expected === 'caught')
    return [
      atMost('evidence.theatre', bad(attacks), 0, 'certified', `of ${attacks.length} attacks`),
      atLeast('evidence.theatre-ways', attacks.length, scale < 1 ? 5 : waysMin, 'attacks'),
      // Ended for another reason than the story has, or did not run to its end.
      atMost('evidence.theatre-otherwise', failures.length, 0, 'stories', 'that ended otherwise'),
      atMost(
        'evidence.class-10',
        bad(held),
        0,
        'certified',
        `of ${held.length} that should be caught; ${bad(watched)} certified of all ${watched.length}`,
      ),
      ...honestResults(honest, scale),
    ]
  },
}

function honestResults(honest: readonly Told[], scale: number): readonly Result[] {
  const asked = honest.filter(({ ended }) => ended === 'asked').length
  const dead = honest.filter(({ isBad }) => isBad).length
  const ratios = honest
    .filter(({ ended, checkMs }) => ended === 'certified' && checkMs > 0)
    .map(({ checkMs, certifyMs }) => certifyMs / checkMs)
  return [
    atMost('evidence.honest', dead, 0, 'dead ends', `of ${honest.length} honest changes`),
    atMost(
      'evidence.honest-asked',
      (100 * asked) / Math.max(1, honest.length),
      askedPercentMax,
      '%',
      `${asked} of ${honest.length} honest changes were certified after a question`,
    ),
    atLeast('evidence.honest-works', honest.length, scale < 1 ? 2 : worksMin, 'changes'),
    atMost(
      'evidence.cost',
      ratios.length === 0 ? 0 : median(ratios),
      costMax,
      'x',
      `certifying, over the checks themselves; median of ${ratios.length} honest changes`,
    ),
  ]
}

/** How many attacks there are of each class with each runner; in brackets those that were certified. */
function attackTable(attacks: readonly Told[]): readonly string[] {
  const columns = [...new Set(attacks.map(({ runner }) => runner))].toSorted()
  const classes = [...new Set(attacks.map((one) => one.class ?? 0))].toSorted((a, b) => a - b)
  const cell = (of: readonly Told[]): string => {
    const fooled = of.filter(({ isBad }) => isBad).length
    return fooled === 0 ? String(of.length) : `${of.length} (${fooled})`
  }
  const row = (title: string, cells: readonly string[]): string =>
    [title.padEnd(9), ...cells.map((text) => text.padStart(10))].join('')
  return [
    row('class', columns),
    ...classes.map((kind) =>
      row(
        kind === 0 ? 'other' : String(kind),
        columns.map((runner) =>
          cell(attacks.filter((one) => (one.class ?? 0) === kind && one.runner === runner)),
        ),
      ),
    ),
  ]
}

const watchedTable = (watched: readonly Told[]): readonly string[] =>
  watched.map(({ name, ended, isBad, expected = 'caught' }) => {
    const found = isBad ? 'not caught' : `caught (${ended})`
    return `class 10: ${found.padEnd(18)} ${expected === 'caught' ? 'must be' : 'admitted'}  ${name}`
  })

/** As `test/theatre/chosen.ts` writes them. */
interface Told {
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

interface Failure {
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

async function tellStories(
  scale: number,
): Promise<{ readonly told: readonly Told[]; readonly failures: readonly Failure[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
  const toldFile = join(folder, 'told.jsonl')
  const reportFile = join(folder, 'report.json')
  try {
    const isWhole = scale >= 1
    await prepareRunners(join(folder, 'runners'))
    const env = {
      ...process.env,
      LOOPWRIGHT_RUNNERS: join(folder, 'runners'),
      LOOPWRIGHT_STORIES: isWhole ? 'all' : '1',
      LOOPWRIGHT_STORIES_SHARE: String(scale),
      LOOPWRIGHT_STORIES_REPORT: toldFile,
    }
    const twoAtATime = ['--maxWorkers=1', '--maxConcurrency=2']
    const reporter = ['--reporter=json', `--outputFile=${reportFile}`]
    await runVitest(['test/theatre', ...twoAtATime, ...reporter], env)
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
  for (const runner of runners) {
    const to = join(folder, runner)
    mkdirSync(to, { recursive: true })
    cpSync(join(root, 'test', 'theatre', 'runners', runner), to, { recursive: true })
    const args = ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund']
    execFileSync('npm', args, { cwd: to, stdio: ['ignore', 'ignore', 'inherit'] })
  }
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
    const failed = assertionResults.filter(({ status }) => status !== 'passed')
    if (failed.length === 0 && message !== '') return [{ name: 'test/theatre', message }]
    return failed.map(({ fullName, failureMessages = [] }) => ({
      name: fullName,
      message: failureMessages.join('\n').split('\n').slice(0, 3).join(' '),
    }))
  })
