/** The command that shows one iteration: show. */

import type { Command } from 'commander'
import type { Host } from '../../host/host.ts'
import { type BlobId, LoopError, type RunId } from '../../loop/index.ts'
import { type CertificateShown, readsText, showCertificate } from '../display/certificate-shown.ts'
import { certificationOf } from '../display/certification-lines.ts'
import { renderExchange } from '../display/exchange-view.ts'
import { createIterationReader, type IterationRecord } from '../display/iteration-record.ts'
import {
  type IterationView,
  renderIteration,
  viewIteration,
  visibleLines,
} from '../display/iteration-view.ts'
import { type Session, wholeNumber, withExistingHost } from '../session.ts'

interface ShowOptions {
  readonly iteration?: number
  readonly prompt?: true
  readonly report?: true
  readonly check?: string
  readonly exchange?: number
  readonly reads?: true
}

export function addShow(program: Command): void {
  program
    .command('show <run>')
    .argument('[iteration]', 'number of the iteration (default: the last)', wholeNumber)
    .description('show one iteration: prompt, report, checks, tools, files')
    .option('--iteration <n>', 'same as the argument', wholeNumber)
    .option('--prompt', 'only the prompt, exactly as the agent got it')
    .option('--report', 'only the final report of the agent')
    .option('--check <name>', 'only the output of this check')
    .option('--reads', 'only the files that each check read, as certified')
    .option(
      '--exchange <n>',
      'only this exchange with a model, by its number: request and answer',
      wholeNumber,
    )
    .action((run: string, iteration: number | undefined, options: ShowOptions) =>
      withExistingHost(program, async (host, session) => {
        const view = await readView(host, run, chosenIteration(iteration, options))
        const text = chosenText(view, options)
        if (options.exchange !== undefined)
          await printExchange(host, session, view, options.exchange)
        else if (text === undefined) {
          session.print(view, () => renderIteration(session.terminal.style, view))
        } else printText(session, text, options.prompt === true)
      }),
    )
}

async function readView(
  host: Host,
  idOrName: string,
  iteration: number | undefined,
): Promise<IterationView> {
  const { run, state, checkpoints, checks } = await host.inspect(idOrName)
  const record = await readIteration(host, run.id, checkpoints, iteration)
  if (record === undefined) throw noIteration(run.name, iteration)
  const { loadStepValues } = await import('../../history/views/step-result.ts')
  const values = await loadStepValues(host, record.steps)
  const sent: string[] = []
  for (const blob of Object.values(record.sent)) sent.push(await readText(host, blob))
  const { questions, waitedMs } = state.attention
  const view = {
    ...viewIteration(run, record, values, sent, checks),
    ...(questions === 0 ? {} : { attention: { questions, waitedMs } }),
  }
  const certificate = await readShownCertificate(host, view)
  return certificate === undefined ? view : { ...view, certificate }
}

/** The last one of the iteration. */
async function readShownCertificate(
  host: Host,
  { steps }: IterationView,
): Promise<CertificateShown | undefined> {
  const found = steps
    .map(({ result }) => certificationOf(result))
    .findLast((one) => one?.type === 'certified')
  if (found?.type !== 'certified') return undefined
  const { readTarget } = await import('../../history/certificates/index.ts')
  // A certificate that is missing or damaged is reported by `verify`.
  const listed = await readTarget(found.certificate, host.folder).catch(() => undefined)
  if (listed === undefined) return undefined
  return showCertificate(listed.id, listed.certificate, (digest) =>
    readText(host, digest as BlobId).catch(() => undefined),
  )
}

async function readText({ blobs }: Host, blob: BlobId): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await blobs.get(blob))
}

function chosenIteration(
  argument: number | undefined,
  { iteration }: ShowOptions,
): number | undefined {
  if (argument !== undefined && iteration !== undefined && argument !== iteration) {
    throw new LoopError('bad-request', `Iteration ${argument} or ${iteration}? Use one of them.`)
  }
  return argument ?? iteration
}

/** Reads from the checkpoint before the iteration to the one after it, where they exist. */
async function readIteration(
  host: Host,
  run: RunId,
  checkpoints: readonly { readonly iteration: number; readonly seq: number }[],
  iteration: number | undefined,
): Promise<IterationRecord | undefined> {
  const seqAfter = (number: number): number | undefined =>
    checkpoints.find((checkpoint) => checkpoint.iteration === number)?.seq
  const before = iteration === undefined ? checkpoints.at(-2)?.seq : seqAfter(iteration - 1)
  const last = iteration === undefined ? undefined : seqAfter(iteration)
  const reader = createIterationReader(iteration)
  for await (const recorded of host.events(run, { afterSeq: before ?? 0, follow: false })) {
    reader.add(recorded)
    if (recorded.seq === last) break
  }
  return reader.found()
}

function noIteration(name: string, iteration: number | undefined): LoopError {
  const what =
    iteration === undefined ? 'no iteration with a step yet' : `no iteration ${iteration}`
  const advice = `List its iterations: loopctl inspect ${name}`
  return new LoopError('unknown-checkpoint', `Run "${name}" has ${what}. ${advice}`)
}

function chosenText(view: IterationView, options: ShowOptions): string | undefined {
  const { prompt, report, check, exchange, reads } = options
  const chosen = [prompt, report, check, exchange, reads].filter((choice) => choice !== undefined)
  if (chosen.length > 1) {
    throw new LoopError(
      'bad-request',
      '--prompt, --report, --check, --exchange and --reads conflict; use one of them.',
    )
  }
  if (prompt) return joined(view, 'prompt', view.prompts)
  if (report) return joined(view, 'report', view.reports)
  if (reads) {
    if (view.certificate !== undefined) return readsText(view.certificate, true).join('\n')
    throw nothing(view, 'certificate', 'Files are observed when work is certified.')
  }
  if (check === undefined) return undefined
  const known = view.checks.map((one) => one.check)
  const found = view.checks.findLast((one) => one.check === check)
  if (found !== undefined) return found.output
  const advice = known.length === 0 ? 'It has none.' : `It has: ${known.join(', ')}.`
  throw nothing(view, `result of a check "${check}"`, advice)
}

async function printExchange(
  host: Host,
  { print, terminal }: Session,
  view: IterationView,
  number: number,
): Promise<void> {
  const found = view.exchanges[number - 1]
  if (found === undefined) {
    const count = view.exchanges.length
    throw nothing(view, `exchange ${number}`, count === 0 ? 'It has none.' : `It has ${count}.`)
  }
  const { loadExchange } = await import('../../history/load-exchange.ts')
  const exchange = await loadExchange(found.blob, host.blobs)
  print(exchange, () => renderExchange(terminal.style, exchange))
}

function joined(view: IterationView, what: string, parts: readonly { text: string }[]): string {
  if (parts.length > 0) return parts.map(({ text }) => text).join('\n\n')
  throw nothing(view, what, 'See everything that it has: loopctl show without options.')
}

const nothing = ({ iteration, name }: IterationView, what: string, advice: string): LoopError =>
  new LoopError('unknown-artifact', `Iteration ${iteration} of "${name}" has no ${what}. ${advice}`)

/** Escapes control characters only on a terminal, which would execute them. */
function printText({ json, print }: Session, text: string, exact: boolean): void {
  if (json) print({ text }, String)
  else if (process.stdout.isTTY) print(text, () => visibleLines(text.trimEnd()).join('\n'))
  else process.stdout.write(exact || text === '' || text.endsWith('\n') ? text : `${text}\n`)
}
