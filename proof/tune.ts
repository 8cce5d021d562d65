/**
 * The statistics of the tuning loop, shown by simulation: whole loops over suites whose truth is known, run through the
 * decision code of the product, and searches over landscapes whose optimum is known. Every seed is fixed, so the same
 * scale gives the same figures.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Result, Suite } from '../bench/report.ts'
import { addTallies, cells, emptyTally, loopsOfCell } from './tune/cells.ts'
import { type Answer, type Job, searchBudgets } from './tune/jobs.ts'
import { families } from './tune/landscapes.ts'
import { resultsOfLoops, resultsOfSearch, resultsOfStopping } from './tune/results.ts'
import { compareWithFixed } from './tune/stopping.ts'

const workersMax = 8
const program = fileURLToPath(new URL('./tune-worker.js', import.meta.url))

interface Options {
  readonly scale: number
  note(text: string): void
}

const share = 0.1

export const tuneSuites: readonly Suite[] = [
  {
    area: 'tune',
    title: 'claims of whole loops over suites with a known truth',
    share,
    run: runLoops,
  },
  { area: 'tune', title: 'what early stopping saves', share, run: runStopping },
  { area: 'tune', title: 'what a search captures of the achievable gain', share, run: runSearches },
]

async function runLoops({ scale, note }: Options): Promise<readonly Result[]> {
  const jobs = cells.flatMap((_cell, cell) =>
    split(scaled(loopsOfCell, scale), 100, (from, to): Job => ({ type: 'cell', cell, from, to })),
  )
  note(`  ${cells.length} cells; the seeds of cell n begin at 1000003 n (proof/tune/cells.ts)`)
  const tallies = cells.map(() => emptyTally)
  for (const answer of await inWorkers(jobs)) {
    if (answer.type !== 'cell') continue
    tallies[answer.cell] = addTallies(tallies[answer.cell] ?? emptyTally, answer.tally)
  }
  const simulated = cells.map((cell, at) => ({ cell, tally: tallies[at] ?? emptyTally }))
  return resultsOfLoops(simulated, scale >= 1)
}

const sizes = [20, 50, 200] as const

async function runStopping({ scale, note }: Options): Promise<readonly Result[]> {
  note('  the seeds of n cases begin at 1000003 n (proof/tune/jobs.ts)')
  const wanted = (cases: number): number => scaled(cases === 200 ? 8_000 : 20_000, scale)
  const jobs = sizes.flatMap((cases) =>
    split(wanted(cases), 500, (from, to): Job => ({ type: 'candidates', cases, from, to })),
  )
  const answers = await inWorkers(jobs)
  return sizes.flatMap((size) => {
    const judged = answers.flatMap((answer) =>
      answer.type === 'candidates' && answer.cases === size ? answer.judged : [],
    )
    return resultsOfStopping(size, compareWithFixed(judged), judged.length, scale >= 1)
  })
}

async function runSearches({ scale, note }: Options): Promise<readonly Result[]> {
  note('  the seeds of family n begin at 1000003 n (proof/tune/jobs.ts)')
  const jobs = families.flatMap((_family, family) =>
    split(scaled(250, scale), 10, (from, to): Job => ({ type: 'searches', family, from, to })),
  )
  const answers = await inWorkers(jobs)
  const captured = answers.flatMap((answer) => (answer.type === 'searches' ? answer.captured : []))
  const figures = searchBudgets.map((_budget, at) => {
    const values = captured.map((one) => one[at] ?? 0)
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
    return { mean, deviation: Math.sqrt(squares / Math.max(1, values.length - 1)) }
  })
  return resultsOfSearch(searchBudgets, figures, captured.length, scale >= 1)
}

const scaled = (whole: number, scale: number): number => Math.max(5, Math.round(whole * scale))

function split<T>(
  count: number,
  size: number,
  make: (from: number, to: number) => T,
): readonly T[] {
  return Array.from({ length: Math.ceil(count / size) }, (_, at) =>
    make(at * size, Math.min(count, (at + 1) * size)),
  )
}

/** The answers in the order of the jobs. */
async function inWorkers(jobs: readonly Job[]): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  const queue = jobs.entries()
  async function work(): Promise<void> {
    const worker = fork(program)
    const died = once(worker, 'exit').then((): never => {
      throw new Error('A simulation ended its process.')
    })
    died.catch(() => undefined)
    try {
      for (const [at, job] of queue) answers[at] = await Promise.race([ask(worker, job), died])
    } finally {
      worker.kill()
    }
  }
  await Promise.all(Array.from({ length: Math.min(workersMax, availableParallelism()) }, work))
  return answers
}

async function ask(worker: ChildProcess, job: Job): Promise<Answer> {
  worker.send(job)
  const [answer] = await once(worker, 'message')
  return answer as Answer
}
