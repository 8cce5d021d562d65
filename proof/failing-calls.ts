/**
 * The k-th call of the store, of a file or of spawn fails, for every k until a run meets none. Each
 * time the drive ends, or rejects with an error that says what to do; a resume without faults then
 * ends as an undisturbed run does. The calls of the steps' own code are left alone: what fails there
 * is a fault of the step, and the loop's to deal with.
 */

import { rmSync } from 'node:fs'
import { isLoopError } from 'loopwright'
import { atLeast, type Suite, type SuiteOptions } from '../bench/report.ts'
import { openEffects } from './effects.ts'
import type { Call, Watch } from './failpoints.ts'
import { makeFastFolder } from './fast-folder.ts'
import { inTime } from './in-time.ts'
import { type Finding, judge, type Recorded, readRecord } from './judge.ts'
import type { Sabotage } from './sabotage.ts'
import { driveVictim, layOut, placesIn } from './victim-world.ts'

type Code = 'EIO' | 'ENOSPC' | 'EMFILE'

const codes: readonly Code[] = ['EIO', 'ENOSPC', 'EMFILE']

const rounds = 1
const hangMs = 20_000
/** A call that failed may have been the one that gives a lease back; then it runs out by itself. */
const pastLeaseMs = 60_000

export const failingCalls: Suite = {
  area: 'journal',
  title: 'the k-th call of store, file or spawn fails',
  share: 0.05,
  async run(options) {
    const { held, all, problems } = await failEachCall(options)
    return [atLeast('journal.failing-calls', held, all, 'calls', problems[0])]
  },
}

export interface FailingReport {
  readonly held: number
  readonly all: number
  readonly problems: readonly string[]
}

export interface FailingOptions extends Pick<SuiteOptions, 'scale' | 'note'> {
  /** Breaks the drive in which the call fails, to show that the proof would notice. */
  readonly sabotage?: Sabotage
}

export async function failEachCall(options: FailingOptions): Promise<FailingReport> {
  const clean = await withBase(async (base) => {
    const end = await drive(base, { reach: () => undefined })
    if (end !== undefined) throw new Error(end.text)
    return readRecord(base)
  })
  const problems: string[] = []
  const step = Math.max(1, Math.round(1 / options.scale))
  let all = 0
  let held = 0
  for (let k = 1; ; k += step) {
    const code = codes[k % codes.length] ?? 'EIO'
    const { call, findings } = await failCall(k, code, clean, options.sabotage)
    if (call === undefined) break
    all++
    if (findings.length === 0) held++
    else {
      const what = findings.map(({ kind, text }) => `${kind}: ${text}`).join('; ')
      problems.push(`call ${k} (${call.site} ${call.occurrence}) fails with ${code}: ${what}`)
      options.note(`  ${problems.at(-1)}`)
    }
    if (all % 100 === 0) options.note(`  ${all} calls`)
  }
  return { held, all, problems }
}

interface Failed {
  /** The call that failed; undefined when there was none with this number. */
  readonly call: Call | undefined
  readonly findings: readonly Finding[]
}

async function failCall(
  k: number,
  code: Code,
  clean: Recorded,
  sabotage: Sabotage | undefined,
): Promise<Failed> {
  return withBase(async (base) => {
    const failing = failAt(k, code)
    const first = await drive(base, failing.watch, sabotage)
    const { call } = failing
    if (first !== undefined) return { call, findings: [first] }
    const second = await drive(base, { reach: () => undefined }, undefined, pastLeaseMs)
    if (second !== undefined) return { call, findings: [second] }
    const findings = judge(await readRecord(base), clean, base)
    // A program that cannot be started is a fault, and the loop goes on without its result.
    const counts = ({ kind }: Finding): boolean => call?.site !== 'spawn' || kind !== 'ending'
    return { call, findings: findings.filter(counts) }
  })
}

/** What the steps do, and the opening of the file that the proof does itself. */
const notOurs = /^(step|world)\.|^sql\.open$/

function failAt(k: number, code: Code): { readonly watch: Watch; readonly call: Call | undefined } {
  let calls = 0
  let call: Call | undefined
  return {
    watch: {
      reach(reached, phase) {
        const { site } = reached
        if (notOurs.test(site)) return
        if (phase === 'before' && ++calls === k) call = reached
        // A file is closed even when closing it fails.
        const moment = site.endsWith('.close') ? 'after' : 'before'
        if (call === reached && phase === moment) throw failure(site, code)
      },
    },
    get call() {
      return call
    },
  }
}

const storeMessages: Readonly<Record<Code, string>> = {
  EIO: 'disk I/O error',
  ENOSPC: 'database or disk is full',
  EMFILE: 'unable to open database file',
}

/** As the store and the file system would say it. */
function failure(site: string, code: Code): Error {
  if (site.startsWith('sql.')) return new Error(storeMessages[code])
  return Object.assign(new Error(`${code}: injected failure, ${site}`), { code, syscall: site })
}

/** Undefined when it ended, or was refused in a way that says what to do. */
async function drive(
  base: string,
  watch: Watch,
  sabotage?: Sabotage,
  laterMs = 0,
): Promise<Finding | undefined> {
  const effects = openEffects(placesIn(base).effects)
  const strays: unknown[] = []
  const onStray = (error: unknown): void => void strays.push(error)
  process.on('uncaughtException', onStray)
  try {
    await inTime(
      driveVictim({ base, effects, watch, rounds, sabotage, laterMs }),
      hangMs,
      'the drive',
    )
  } catch (error) {
    if (!isHelpful(error)) return finding(`it rejects with ${describe(error)}`)
  } finally {
    effects.close()
    process.off('uncaughtException', onStray)
  }
  return strays.length === 0 ? undefined : finding(`it throws ${describe(strays[0])}`)
}

const finding = (text: string): Finding => ({ kind: 'process', text })

/** Something that a person can do is in the message. */
const isHelpful = (error: unknown): boolean =>
  isLoopError(error) &&
  /\b(check|free|make|move|remove|repair|restore|resume)\b/i.test(error.message)

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

async function withBase<T>(work: (base: string) => Promise<T>): Promise<T> {
  const base = makeFastFolder('fail')
  layOut(base)
  try {
    return await work(base)
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}
