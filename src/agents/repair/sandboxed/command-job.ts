/**
 * For tests that cannot be run one by one: runs the project's command on copies of the project.
 * Slow, and no tests can be held back.
 */

import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CommandJob, CoveredRange, SandboxMessage } from '../messages.ts'
import { type Copies, openCopies } from './copy-project.ts'

export async function runCommandJob(
  job: CommandJob,
  report: (said: SandboxMessage) => void,
): Promise<void> {
  const copies = await openCopies(job.root)
  const results = await mkdtemp(join(tmpdir(), 'loopwright-coverage-'))
  try {
    if (job.edits.length === 0) await measureCoverage(job, copies, results, report)
    else await tryEdits(job, copies, report)
  } finally {
    await copies.remove()
    await rm(results, { recursive: true, force: true })
  }
}

async function measureCoverage(
  job: CommandJob,
  copies: Copies,
  results: string,
  report: (said: SandboxMessage) => void,
): Promise<void> {
  const copy = await copies.create()
  const exit = await run(job, copy, { NODE_V8_COVERAGE: results })
  report({ type: 'test', id: job.command.join(' '), ok: exit === 0, ms: 0, hits: '' })
  for (const name of await readdir(results).catch(() => [])) {
    const text = await readFile(join(results, name), 'utf8').catch(() => '{}')
    for (const said of readRanges(text, copy)) report(said)
  }
  report({ type: 'end', next: 0, hung: 0 })
}

interface Profile {
  readonly result?: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly ranges: readonly {
        readonly startOffset: number
        readonly endOffset: number
        readonly count: number
      }[]
    }[]
  }[]
  readonly 'source-map-cache'?: Readonly<Record<string, unknown>>
}

/** In transpiled code offsets mean nothing: the file counts as a whole. */
function* readRanges(text: string, copy: string): Generator<SandboxMessage> {
  const profile = JSON.parse(text) as Profile
  for (const { url, functions } of profile.result ?? []) {
    if (!url.startsWith('file:')) continue
    const file = relative(copy, fileURLToPath(url))
    if (file.startsWith('..') || file.includes('node_modules')) continue
    const isTranslated = url in (profile['source-map-cache'] ?? {})
    const ranges: CoveredRange[] = isTranslated
      ? [[0, Number.MAX_SAFE_INTEGER, 1]]
      : functions.flatMap((one) =>
          one.ranges.map(
            ({ startOffset, endOffset, count }): CoveredRange => [startOffset, endOffset, count],
          ),
        )
    yield { type: 'covered', file, ranges }
  }
}

async function tryEdits(
  job: CommandJob,
  copies: Copies,
  report: (said: SandboxMessage) => void,
): Promise<void> {
  const endMs = performance.now() + job.deadlineMs
  const { edits, bases } = job
  const done = new Set<number>()
  let next = 0
  let found = edits.length
  let hung = 0
  const work = async (): Promise<void> => {
    const copy = await copies.create()
    while (next < found && performance.now() < endMs) {
      const index = next++
      const [file, start, end, text] = edits[index] ?? [-1, 0, 0, '']
      const base = bases[file]
      if (base === undefined) continue
      const path = join(copy, base.path)
      await writeFile(path, base.code.slice(0, start) + text + base.code.slice(end))
      const exit = await run(job, copy, {})
      await writeFile(path, base.code)
      done.add(index)
      if (exit === 'hung') hung++
      if (exit === 0) found = Math.min(found, index)
      report({ type: 'tried', upTo: done.size, hung })
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, job.workers) }, work))
  if (found < edits.length) report({ type: 'found', edit: found })
  const untried = edits.findIndex((_, index) => !done.has(index))
  report({
    type: 'end',
    next: found < edits.length ? found : untried === -1 ? edits.length : untried,
    hung,
  })
}

function run(
  { command, timeoutMs }: CommandJob,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<number | 'hung'> {
  const [program = '', ...args] = command
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, ...env },
    })
    let isLate = false
    const killAll = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // They are gone.
      }
    }
    const timer = setTimeout(() => {
      isLate = true
      killAll()
    }, timeoutMs)
    child.on('error', () => resolve(127))
    child.on('exit', (code) => {
      clearTimeout(timer)
      killAll()
      resolve(isLate ? 'hung' : (code ?? 1))
    })
  })
}
