/** `loopctl memory list`, `show` and `forget`: what loops remember. */

import { resolve } from 'node:path'
import type { Command } from 'commander'
import { defined, LoopError } from '../../loop/index.ts'
import { plural } from '../display/amounts.ts'
import { renderFact, renderFacts } from '../display/memory-view.ts'
import { visible } from '../display/render.ts'
import { requireLoop } from '../require-loop.ts'
import { requireYes } from '../require-yes.ts'
import { folderName, type Session, wholeNumber, withRuns } from '../session.ts'

interface ListOptions {
  readonly repo?: string
  readonly search?: string
  readonly limit?: number
}

interface ForgetOptions {
  readonly allOf?: string
  readonly repo?: string
  readonly yes?: boolean
}

export function addMemory(program: Command): void {
  const memory = program
    .command('memory')
    .description('show or forget what loops remember between rounds')
  memory
    .command('list [loop-name]')
    .description('list the facts that loops remember, newest first')
    .option('--repo <folder>', 'only loops that work in this folder or repository', folderName)
    .option('--search <words>', 'only facts that contain one of these words')
    .option('--limit <n>', 'how many (default: all)', wholeNumber)
    .action((loop: string | undefined, { repo, search, limit }: ListOptions) => {
      const filter = defined({ loop, words: search, limit })
      const where = repo === undefined ? {} : { workspace: resolve(repo) }
      return withRuns(
        program,
        async (runs, session) => {
          const facts = await runs.memories({ ...filter, ...where })
          if (facts.length === 0) {
            await requireLoop(runs, loop, async () => namesIn(await runs.memories()))
          }
          printAll(facts, session)
        },
        async (session) => {
          await requireLoop(undefined, loop)
          printAll([], session)
        },
      )
    })
  memory
    .command('show <fact>')
    .description('show a fact: its text, its source, when it expires')
    .action((fact: string) =>
      withRuns(program, async (runs, { print }) => {
        const found = await runs.memory(fact)
        print(found, () => renderFact(found))
      }),
    )
  addForget(program, memory)
}

function addForget(program: Command, memory: Command): void {
  memory
    .command('forget [facts...]')
    .description('forget facts, permanently')
    .option('--all-of <loop-name>', 'all facts of this loop')
    .option('--repo <folder>', 'with --all-of: only in this folder or repository', folderName)
    .option('--yes', 'do not ask for confirmation')
    .action((facts: string[], { allOf: loop, repo, yes }: ForgetOptions) =>
      withRuns(program, async (runs, session) => {
        requireOneWay(facts, loop, repo)
        if (loop === undefined) {
          // An unknown id is reported before the prompt.
          for (const fact of facts) await runs.memory(fact)
          await requireYes(session, `forget ${facts.join(', ')}, permanently`, yes)
          for (const fact of facts) await runs.forgetMemory(fact)
          return printForgotten(facts.length, session)
        }
        const of = { loop, ...(repo === undefined ? {} : { workspace: resolve(repo) }) }
        const count = (await runs.memories(of)).length
        const what = `forget ${plural(count, 'fact')} of ${loop}, permanently`
        if (count > 0) await requireYes(session, what, yes)
        printForgotten((await runs.forgetMemories(of)).forgotten, session)
      }),
    )
}

function requireOneWay(
  facts: readonly string[],
  loop: string | undefined,
  repo: string | undefined,
): void {
  if (loop !== undefined && facts.length > 0) {
    throw new LoopError('bad-request', 'Facts and --all-of conflict; use one of them.')
  }
  if (loop === undefined && repo !== undefined) {
    throw new LoopError('bad-request', '--repo needs --all-of <loop-name>.')
  }
  if (loop === undefined && facts.length === 0) {
    const message =
      'Pass the ids of facts, or --all-of <loop-name>. To list them: loopctl memory list'
    throw new LoopError('bad-request', message)
  }
}

function printAll(
  facts: Parameters<typeof renderFacts>[0],
  { json, print, terminal }: Session,
): void {
  if (json) for (const fact of facts) print(fact, String)
  else print(facts, () => renderFacts(facts, terminal))
}

const namesIn = (facts: readonly { readonly loop: string }[]): readonly string[] =>
  facts.map(({ loop }) => loop)

const printForgotten = (forgotten: number, { print }: Session): void =>
  print({ forgotten }, () => visible(`Forgot ${plural(forgotten, 'fact')}.`))
