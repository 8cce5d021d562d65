/**
 * The command line of `npm run bench` and `npm run proof`: chooses suites, runs them one after another
 * with a line of progress each, and prints one table at the end. An interrupted run can be resumed.
 */

import { parseArgs } from 'node:util'
import type { Result, Suite, SuiteOptions } from './report.ts'
import { formatTable } from './result-table.ts'
import { openProgress, type SuiteEnd } from './suite-progress.ts'

interface Flags {
  readonly json: boolean
  readonly only: string | undefined
  readonly full: boolean
  readonly scale: number | undefined
  readonly seed: number | undefined
  readonly resume: boolean
  readonly mirror: string | undefined
  readonly repositories: readonly string[] | undefined
  readonly help: boolean
}

export interface SuiteOutput {
  /** Results: standard output. */
  print(text: string): void
  /** Progress and problems: standard error. */
  note(text: string): void
  /** Where an interrupted run is kept; default: `build/`. */
  readonly folder?: string
}

const standardOutput: SuiteOutput = {
  print: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
}

const usageError = 64

/** Runs the chosen suites. Returns the exit code: 0 if all targets were met, 1 if not. */
export async function runSuites(
  command: string,
  suites: readonly Suite[],
  args: readonly string[] = process.argv.slice(2),
  output: SuiteOutput = standardOutput,
): Promise<number> {
  const { print, note } = output
  const areas = [...new Set(suites.flatMap(({ area }) => area))].toSorted()
  let flags: Flags
  try {
    flags = parseFlags(args)
  } catch (error) {
    note(`${error instanceof Error ? error.message : String(error)}\n\n${usage(command, areas)}`)
    return usageError
  }
  if (flags.help) {
    print(usage(command, areas))
    return 0
  }
  const { only } = flags
  const chosen = suites.filter(({ area }) => only === undefined || [area].flat().includes(only))
  if (chosen.length === 0) {
    note(`Unknown area "${only}". Areas: ${areas.join(', ')}`)
    return usageError
  }
  const ends = await runAll(command, chosen, flags, output)
  const results = ends.flatMap((end) => end.results)
  print(flags.json ? JSON.stringify({ results }) : formatTable(ends).join('\n'))
  return results.every((one) => one.ok) ? 0 : 1
}

function parseFlags(args: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      only: { type: 'string' },
      full: { type: 'boolean', default: false },
      scale: { type: 'string' },
      seed: { type: 'string' },
      resume: { type: 'boolean', default: false },
      mirror: { type: 'string' },
      repository: { type: 'string', multiple: true },
      help: { type: 'boolean', default: false },
    },
  })
  const { json, only, full, resume, mirror, help } = values
  if (full && values.scale !== undefined) throw new Error('--full and --scale conflict; use one.')
  const scale = numberOf('scale', values.scale, 0)
  const seed = numberOf('seed', values.seed, -1)
  const repositories = values.repository?.flatMap((names) => names.split(','))
  return { json, only, full, scale, seed, resume, mirror, repositories, help }
}

function numberOf(name: string, given: string | undefined, above: number): number | undefined {
  if (given === undefined) return undefined
  const value = Number(given)
  if (given.trim() !== '' && Number.isFinite(value) && value > above) return value
  throw new Error(`--${name} needs a number above ${above}, not "${given}".`)
}

async function runAll(
  command: string,
  suites: readonly Suite[],
  flags: Flags,
  { note, folder }: SuiteOutput,
): Promise<readonly SuiteEnd[]> {
  const { full, scale, seed, only, resume, mirror, repositories } = flags
  const names = suites.map(nameOf)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`Two suites are named "${twice}".`)
  const options = { full, scale, seed, only, mirror, repositories }
  const progress = openProgress(command, options, resume, folder)
  if (progress.hint !== undefined) note(progress.hint)
  const startedMs = performance.now()
  const ends: SuiteEnd[] = []
  for (const [index, suite] of suites.entries()) {
    const name = nameOf(suite)
    const at = `[${index + 1}/${suites.length}] ${clock(performance.now() - startedMs)} ${name}`
    const known = progress.find(name)
    if (known !== undefined) {
      note(`${at} (already done)`)
      ends.push(known)
      continue
    }
    note(at)
    const share = scale ?? (full ? 1 : (suite.share ?? 1))
    const end = await runOne(suite, {
      scale: share,
      seed,
      mirror,
      repositories,
      part: (part, make) => progress.part(`${name}: ${part}`, make),
      note,
    })
    const missed = end.results.filter(({ ok }) => !ok).map((result) => result.name)
    if (missed.length > 0) note(`  FAIL ${missed.join(', ')}`)
    if (end.isBroken !== true) progress.add(end)
    ends.push(end)
  }
  progress.close()
  return ends
}

const nameOf = ({ area, title }: Suite): string => `${[area].flat().join(', ')}: ${title}`

/** A suite that throws fails; the others still run. */
async function runOne(suite: Suite, options: SuiteOptions): Promise<SuiteEnd> {
  const name = nameOf(suite)
  const startedMs = performance.now()
  const end = (results: readonly Result[]): SuiteEnd => ({
    name,
    seconds: Math.round((performance.now() - startedMs) / 100) / 10,
    results,
  })
  try {
    const results = await suite.run(options)
    if (results.length === 0) throw new Error('It has no results.')
    return end(results)
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    options.note(text)
    const broken = `${[suite.area].flat()[0]}.broken`
    const detail = `${suite.title}: ${text.split('\n')[0]}`
    const failure = { name: broken, value: 1, unit: 'suites', target: '<=0', ok: false, detail }
    return { ...end([failure]), isBroken: true }
  }
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const usage = (command: string, areas: readonly string[]): string =>
  `Usage: npm run ${command} -- [options]

  --only <area>    run the suites of one area
  --full           run everything at full scale; default: the share each suite declares
  --scale <share>  run this share of every suite, for example 0.1
  --seed <n>       run only this seed of the suites that have seeds
  --mirror <dir>   public repositories, for the area "repositories" of the proof
  --repository <owner/name,…>
                   only these of them
  --resume         continue an interrupted run of the same code and options
  --json           print {"results": [...]} on standard output

Areas: ${areas.join(', ')}`
