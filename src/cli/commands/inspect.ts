/** Commands that only read: list, inspect, tail, output, queue. */

import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Break, OutputEntry } from '../../client/index.ts'
import { plural } from '../../loop/excerpt/plural.ts'
import { defined, describeEvent, findStatuses, LoopError, runStatuses } from '../../loop/index.ts'
import type { LoopAttention, Run } from '../../protocol/api/index.ts'
import type { ListFilter, Runs } from '../connection/runs.ts'
import { renderLoops } from '../display/loops-view.ts'
import { renderQueue } from '../display/queue-view.ts'
import { renderTime, visible, visibleText } from '../display/render.ts'
import { renderInspection, renderList } from '../display/runs-view.ts'
import { folderName, openSession, type Session, wholeNumber, withRuns } from '../session.ts'

interface ListOptions {
  readonly status?: string
  readonly workspace?: string
  readonly limit?: number
  readonly all?: boolean
  readonly attention?: boolean
  readonly loops?: boolean
}

const listedMax = 100

export function addInspectCommands(program: Command): void {
  program
    .command('list')
    .description('list the runs, newest first')
    .option('--status <status>', 'only runs with this status, such as waiting or FAILED')
    .option('--workspace <folder>', 'only runs that work in this folder', folderName)
    .option('--limit <n>', `maximum number of runs (default: ${listedMax})`, wholeNumber)
    .option('--all', 'list all runs')
    .option('--attention', 'also show how many questions each run asked, and how long it waited')
    .option('--loops', 'sum this up for each loop, over all runs')
    .action((options: ListOptions) =>
      options.loops === true
        ? withRuns(
            program,
            async (runs, session) => listLoops(await attentionOf(runs, options), session),
            (session) => listLoops([], session),
          )
        : withRuns(
            program,
            async (runs) => listRuns(program, await listed(runs, options), options),
            () => listRuns(program, [], options),
          ),
    )
  program
    .command('inspect <run>')
    .description('show the status, cost, checkpoints and questions of a run')
    .action((run: string) =>
      withRuns(program, async (runs, { print, terminal }) => {
        const inspection = await runs.inspect(run)
        print(inspection, () => renderInspection(inspection, terminal))
      }),
    )
  addTail(program)
  program
    .command('queue')
    .description('list running and queued runs')
    .action(() =>
      withRuns(
        program,
        async (runs, { json, print, terminal }) => {
          const entries = await runs.queue()
          if (json) for (const entry of entries) print(entry, String)
          else print(entries, () => renderQueue(entries, terminal))
        },
        ({ json, print, terminal }) => {
          if (!json) print([], () => renderQueue([], terminal))
        },
      ),
    )
}

interface TailOptions {
  readonly follow?: boolean
  readonly after: number
  readonly output?: boolean
}

function addTail(program: Command): void {
  program
    .command('tail <run>')
    .description('print the events of a run')
    .option('-f, --follow', 'keep printing until the run ends')
    .option('--after <seq>', 'start after this event', wholeNumber, 0)
    .option('--output', 'print the output of its agent and checks instead')
    .action((run: string, options: TailOptions) => tail(program, run, options))
  program
    .command('output <run>')
    .description('print the output of the agent and checks of a run')
    .option('-f, --follow', 'keep printing until the run ends')
    .option('--after <seq>', 'start after this event', wholeNumber, 0)
    .action((run: string, options: TailOptions) => tail(program, run, { ...options, output: true }))
}

const tail = (
  program: Command,
  run: string,
  { follow = false, after, output = false }: TailOptions,
): Promise<void> =>
  withRuns(program, async (runs, session) => {
    const range = { follow, afterSeq: after, onBreak: tellBreak(session) }
    if (output) {
      const show = createOutputShow(session)
      for await (const entry of runs.output(run, range)) show(entry)
      return
    }
    for await (const event of runs.events(run, range)) {
      session.print(event, () =>
        visible(`${renderTime(event.atMs)} ${event.seq} ${describeEvent(event.event)}`),
      )
    }
  })

/** On standard error, once when the daemon stops answering and once when it answers again. */
function tellBreak({ json }: Session): (broken: Break) => void {
  let isAway = false
  return ({ retryInMs }) => {
    const wasAway = isAway
    isAway = retryInMs !== undefined
    if (json || wasAway === isAway) return
    const words = isAway
      ? 'The daemon does not answer; waiting for it. Start it: loopctl daemon start'
      : 'The daemon answers again.'
    process.stderr.write(`${words}\n`)
  }
}

/** The raw text, with a heading for each step. */
function createOutputShow({ json, print, terminal }: Session): (entry: OutputEntry) => void {
  let last = ''
  return (entry) => {
    if (json) return print(entry, String)
    const head = visible(`iteration ${entry.iteration}, ${entry.step}`)
    if (head !== last) process.stdout.write(`${terminal.style.bold(head)}\n`)
    last = head
    const text = process.stdout.isTTY ? visibleText(entry.text) : entry.text
    process.stdout.write(text === '' || text.endsWith('\n') ? text : `${text}\n`)
  }
}

/** An interrupted run is `running` or `waiting` in the journal, but no process drives it. */
const interrupted = 'interrupted'

async function listed(runs: Runs, options: ListOptions): Promise<readonly Run[]> {
  if (options.status !== interrupted) return runs.list(filterFrom(options, 1))
  const { status: _all, ...rest } = filterFrom({ ...options, all: true }, 0)
  return (await runs.list(rest)).filter((run) => run.interrupted)
}

/** Reads one more than is shown, to know whether there are more. */
function filterFrom(options: ListOptions, more: number): ListFilter {
  const { status, workspace, limit, all, attention } = options
  const isKnown = status === undefined || status === interrupted || findStatuses(status)
  if (!isKnown) throw noStatus(status)
  return {
    ...defined({ status }),
    ...(workspace === undefined ? {} : { workspace: resolve(workspace) }),
    ...(attention === true ? { attention } : {}),
    ...(all === true ? {} : { limit: (limit ?? listedMax) + more }),
  }
}

const noStatus = (status: string): LoopError =>
  new LoopError(
    'bad-request',
    `Unknown status "${status}". Use one of: ${[...runStatuses, interrupted].join(', ')}.`,
  )

async function attentionOf(runs: Runs, options: ListOptions): Promise<readonly LoopAttention[]> {
  const { status, workspace } = filterFrom({ ...options, all: true }, 0)
  if (status === interrupted) {
    throw new LoopError('bad-request', `--loops and --status ${interrupted} conflict; use one.`)
  }
  return runs.attention(defined({ status, workspace }))
}

function listLoops(loops: readonly LoopAttention[], { json, print }: Session): void {
  if (json) for (const one of loops) print(one, String)
  else print(loops, () => renderLoops(loops))
}

function listRuns(program: Command, found: readonly Run[], options: ListOptions): void {
  const { hint, json, print, terminal } = openSession(program)
  const { limit = Number.POSITIVE_INFINITY } = filterFrom(options, 0)
  const runs = found.slice(0, limit)
  const isPart = options.status !== undefined || options.workspace !== undefined
  if (json) for (const run of runs) print(run, String)
  else print(runs, () => renderList(runs, Date.now(), terminal, isPart))
  if (found.length > runs.length && options.limit === undefined) {
    const all = hint('loopctl list --all')
    process.stderr.write(`Showing the newest ${plural(runs.length, 'run')}. Show all: ${all}\n`)
  }
}
