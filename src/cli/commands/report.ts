/** `loopctl report`: what all loops did in a period; with a run, one file that shows all of it. */

import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { LoopError, textOf } from '../../loop/index.ts'
import { renderDigest } from '../display/digest-view.ts'
import { visible } from '../display/render.ts'
import { duration } from '../run-options.ts'
import { withRuns } from '../session.ts'

const dayMs = 86_400_000

interface ReportOptions {
  readonly since?: number
  readonly html?: true
  readonly out?: string
}

export function addReport(program: Command): void {
  program
    .command('report [run]')
    .description('sum up what all loops did, or write one run as a file')
    .option('--since <duration>', 'period until now, such as 12h or 7d (default: 1d)', duration)
    .option('--html', 'with a run: one HTML file that shows all of it, safe to send')
    .option('--out <file>', 'with --html: the file to write (default: <run>.html)')
    .action((run: string | undefined, options: ReportOptions) =>
      run === undefined ? sumUp(program, options) : writeReport(program, run, options),
    )
}

function sumUp(program: Command, { since = dayMs, html, out }: ReportOptions): Promise<void> {
  if (html === true || out !== undefined) {
    const message = '--html and --out need a run. Example: loopctl report calm-otter --html'
    throw new LoopError('bad-request', message)
  }
  return withRuns(program, async (runs, { print }) => {
    const digest = await runs.digest({ since: Math.max(0, Date.now() - since) })
    print(digest, () => renderDigest(digest))
  })
}

function writeReport(program: Command, named: string, options: ReportOptions): Promise<void> {
  const { since, html, out } = options
  if (since !== undefined) {
    throw new LoopError('bad-request', '--since is for the report of all loops: leave the run out.')
  }
  if (html !== true) {
    const message = `The report of a run is an HTML file. Type: loopctl report ${named} --html`
    throw new LoopError('bad-request', message)
  }
  if (out === '') throw new LoopError('bad-request', '--out needs a file.')
  return withRuns(program, async (runs, { print }) => {
    const { run } = await runs.inspect(named)
    const text = await runs.report(run.id)
    const file = resolve(
      out ?? `${run.name.replaceAll(/[^\w.-]+/g, '-').replace(/^[.-]+/, '')}.html`,
    )
    writeWhole(file, text)
    const made = { run: { id: run.id, name: run.name }, file, bytes: Buffer.byteLength(text) }
    print(made, () =>
      visible(`${file} shows run ${run.name}: one file, no scripts, secrets masked.`),
    )
  })
}

/** The old file or the new one, also after a kill. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600 })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    const message = `The report cannot be written to ${file}: ${textOf(error)}. Choose another file with --out.`
    throw new LoopError('bad-request', message, { cause: error })
  }
}
