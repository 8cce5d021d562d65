/** The commands. Each prints for people, or with --json for programs. */

import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import type { Host } from '../host/index.ts'
import { describeEvent } from '../loop/index.ts'
import { renderInspection, renderList, renderTime } from './render.ts'

interface GlobalOptions {
  readonly json?: boolean
  readonly state?: string
}

export function createProgram(): Command {
  const program = new Command('loopctl')
    .description('Looks at runs and talks to them.')
    .version(version())
    .option('--json', 'print JSON (one object a line where there are many)')
    .option('--state <folder>', 'the folder of the record (default: $LOOPWRIGHT_STATE, then XDG)')
    .showHelpAfterError()
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
        print(runs, () => renderList(runs))
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
    .option('--after <seq>', 'begin after this event', Number, 0)
    .action((run: string, options: { follow?: boolean; after: number }) =>
      withHost(program, async (host, print) => {
        const range = { follow: options.follow === true, afterSeq: options.after }
        for await (const event of host.events(run, range)) {
          print(event, () => `${renderTime(event.atMs)} ${event.seq} ${describeEvent(event.event)}`)
        }
      }),
    )
}

function addTelling(program: Command): void {
  program
    .command('answer <run> <question> <answer>')
    .description('answer what a run asks')
    .action((run: string, question: string, answer: string) =>
      withHost(program, async (host, print) => {
        await host.answer(run, question, answer, who())
        print({ answered: question }, () => `answered ${question}`)
      }),
    )
  for (const { name, description, decision } of decisions) {
    program
      .command(`${name} <run>`)
      .description(description)
      .action((run: string) =>
        withHost(program, async (host, print) => {
          await host.tell(run, decision, who())
          print({ [name]: run }, () => `${name}: ${run}`)
        }),
      )
  }
}

interface DecisionCommand {
  readonly name: string
  readonly description: string
  readonly decision: Parameters<Host['tell']>[1]
}

const decisions: readonly DecisionCommand[] = [
  {
    name: 'pause',
    description: 'finish the step in flight, then pause',
    decision: { type: 'pause' },
  },
  {
    name: 'stop',
    description: 'end after the iteration under way',
    decision: { type: 'stop', reason: 'loopctl stop' },
  },
  {
    name: 'cancel',
    description: 'end now',
    decision: { type: 'cancel', reason: 'loopctl cancel' },
  },
]

function addKeeping(program: Command): void {
  program
    .command('export <run>')
    .description('a checkpoint as a file that another machine can go on from')
    .option('--iteration <n>', 'after this iteration (default: the last)', Number)
    .option('--no-files', 'without the files of the workspace')
    .action((run: string, options: { iteration?: number; files: boolean }) =>
      withHost(program, async (host) => {
        const { iteration, files } = options
        const text = await host.exportCheckpoint(run, {
          files,
          ...(iteration === undefined ? {} : { iteration }),
        })
        process.stdout.write(text)
      }),
    )
  program
    .command('gc')
    .description('remove content that no run names')
    .action(() =>
      withHost(program, async (host, print) => {
        const swept = await host.collectGarbage()
        print(swept, () => `removed ${swept.removed} of ${swept.removed + swept.kept} blobs`)
      }),
    )
  program
    .command('doctor')
    .description('check the record')
    .action(() =>
      withHost(program, async (host, print) => {
        const problems = host.journal.integrityProblems()
        print({ folder: host.folder, problems }, () =>
          problems.length === 0 ? `${host.folder}: ok` : problems.join('\n'),
        )
        if (problems.length > 0) process.exitCode = 74
      }),
    )
}

type Print = (value: unknown, text: () => string) => void

async function withHost(
  program: Command,
  work: (host: Host, print: Print) => Promise<void>,
): Promise<void> {
  const options = program.opts<GlobalOptions>()
  const { openHost } = await import('../host/index.ts')
  const host = await openHost(options.state === undefined ? {} : { folder: options.state })
  try {
    await work(host, (value, text) => {
      process.stdout.write(`${options.json === true ? JSON.stringify(value) : text()}\n`)
    })
  } finally {
    await host.close()
  }
}

const who = (): string => process.env['USER'] ?? process.env['LOGNAME'] ?? 'loopctl'

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
