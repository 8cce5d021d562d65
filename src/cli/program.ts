/** The commands. Each prints for people, or with --json for programs. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import type { Host } from '../host/index.ts'
import { describeEvent, LoopError } from '../loop/index.ts'
import { renderInspection, renderList, renderTime, visible } from './render.ts'

interface GlobalOptions {
  readonly json?: boolean
  readonly state?: string
}

export function createProgram(): Command {
  const program = new Command('loopctl')
    .description('Looks at runs and talks to them.')
    .version(version())
    .option('--json', 'print JSON, one object a line')
    .option('--state <folder>', 'the folder of the record (default: $LOOPWRIGHT_STATE, then XDG)')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
  addReading(program)
  addTelling(program)
  addKeeping(program)
  return program
}

function addReading(program: Command): void {
  program
    .command('list')
    .description('the runs, newest first')
    .action(() =>
      withHost(program, async (host, print) => {
        const runs = await host.list()
        if (program.opts<GlobalOptions>().json === true) for (const run of runs) print(run, String)
        else print(runs, () => renderList(runs, Date.now()))
      }),
    )
  program
    .command('inspect <run>')
    .description('one run: status, spending, checkpoints, what it asks (by id, name or beginning)')
    .action((run: string) =>
      withHost(program, async (host, print) => {
        const inspection = await host.inspect(run)
        print(inspection, () => renderInspection(inspection))
      }),
    )
  program
    .command('tail <run>')
    .description('the events of a run')
    .option('-f, --follow', 'wait for more until the run ends')
    .option('--after <seq>', 'begin after this event', wholeNumber, 0)
    .action((run: string, options: { follow?: boolean; after: number }) =>
      withHost(program, async (host, print) => {
        const range = { follow: options.follow === true, afterSeq: options.after }
        for await (const event of host.events(run, range)) {
          print(event, () =>
            visible(`${renderTime(event.atMs)} ${event.seq} ${describeEvent(event.event)}`),
          )
        }
      }),
    )
}

function addTelling(program: Command): void {
  program
    .command('answer <run> <question> <answer>')
    .description('answer what a run asks (the question by its name, or as inspect shows it)')
    .action((run: string, question: string, answer: string) =>
      withHost(program, async (host, print) => {
        await host.answer(run, question, answer, who())
        print({ run, answered: question }, () => visible(`answered ${question}`))
      }),
    )
  for (const { name, description, decision, later } of decisions) {
    program
      .command(`${name} <run>`)
      .description(description)
      .action((run: string) =>
        withHost(program, async (host, print) => {
          await host.tell(run, decision, who())
          const { status, held } = (await host.inspect(run)).run
          const note = held ? 'its process was told' : `it is ${status} now${later}`
          print({ run, told: name, status, held }, () => visible(`${name} ${run}: ${note}`))
        }),
      )
  }
}

interface DecisionCommand {
  readonly name: string
  readonly description: string
  readonly decision: Parameters<Host['tell']>[1]
  /** What happens to a run that nobody drives. */
  readonly later: string
}

const decisions: readonly DecisionCommand[] = [
  {
    name: 'pause',
    description: 'finish the step in flight, then pause (resume it where it was started)',
    decision: { type: 'pause' },
    later: ', and goes on when it is resumed',
  },
  {
    name: 'stop',
    description: 'end after the iteration under way',
    decision: { type: 'stop', reason: 'loopctl stop' },
    later: '; an open iteration is finished when it is next driven (use cancel to end it now)',
  },
  {
    name: 'cancel',
    description: 'end now',
    decision: { type: 'cancel', reason: 'loopctl cancel' },
    later: '',
  },
]

function addKeeping(program: Command): void {
  program
    .command('export <run>')
    .description('a checkpoint as a file that another machine can go on from')
    .option('--iteration <n>', 'after this iteration (default: the last)', wholeNumber)
    .option('--no-files', 'without the files of the workspace')
    .action((run: string, options: { iteration?: number; files: boolean }) =>
      withHost(program, async (host) => {
        const { iteration, files } = options
        const chosen = iteration === undefined ? {} : { iteration }
        process.stdout.write(await host.exportCheckpoint(run, { files, ...chosen }))
      }),
    )
  program
    .command('files <tree> <folder>')
    .description('put the files of a tree, as inspect and tail name it, into an empty folder')
    .action((tree: string, folder: string) =>
      withHost(program, async (host, print) => {
        const whole = await host.extract(tree, folder)
        print({ tree: whole, folder }, () => visible(`${whole} is in ${folder}`))
      }),
    )
  program
    .command('gc')
    .description('remove content that no run names')
    .action(() =>
      withHost(program, async (host, print) => {
        const swept = await host.collectGarbage()
        print(swept, () => `removed ${swept.removed} blobs, kept ${swept.kept}`)
      }),
    )
  program
    .command('doctor')
    .description('check the record: the database, and all content that it names')
    .action(() =>
      withHost(program, async (host, print) => {
        const problems = await host.problems()
        print({ folder: host.folder, problems }, () =>
          (problems.length === 0 ? [`${host.folder}: ok`] : problems).map(visible).join('\n'),
        )
        if (problems.length > 0) process.exitCode = 74
      }),
    )
}

type Print = (value: unknown, text: () => string) => void

/** None of the commands makes a record; only a run does. */
async function withHost(
  program: Command,
  work: (host: Host, print: Print) => Promise<void>,
): Promise<void> {
  const options = program.opts<GlobalOptions>()
  if (options.state === '') throw new LoopError('bad-request', '--state needs a folder.')
  const { openHost, stateFolder } = await import('../host/index.ts')
  const folder = options.state ?? stateFolder()
  if (!existsSync(join(folder, 'journal.db'))) {
    throw new LoopError(
      'unknown-run',
      `There is no record in ${folder}: no run was started there. Name another with --state.`,
    )
  }
  const host = await openHost({ folder })
  try {
    await work(host, (value, text) => {
      process.stdout.write(`${options.json === true ? JSON.stringify(value) : text()}\n`)
    })
  } finally {
    await host.close()
  }
}

function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number that is not negative.')
}

const who = (): string => process.env['USER'] ?? process.env['LOGNAME'] ?? 'loopctl'

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
