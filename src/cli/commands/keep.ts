/** Commands about the record itself: export, files, rm, gc. */

import type { Command } from 'commander'
import type { Collected } from '../../host/collect-garbage.ts'
import { defined } from '../../loop/index.ts'
import type { RunRemovalResponse } from '../../protocol/api/index.ts'
import { plural, renderSize } from '../display/amounts.ts'
import { visible } from '../display/render.ts'
import { requireYes } from '../require-yes.ts'
import { wholeNumber, withRuns, withStateFolder } from '../session.ts'

const gcAdvice =
  'The content of their files is still there: loopctl gc removes what no other run needs.'

export function addKeeping(program: Command): void {
  program
    .command('export <run>')
    .description('a checkpoint as a file that another machine can go on from')
    .option('--iteration <n>', 'after this iteration (default: the last)', wholeNumber)
    .option('--no-files', 'without the files of the workspace')
    .action((run: string, options: { iteration?: number; files: boolean }) =>
      withStateFolder(program, async (host) => {
        const { iteration, files } = options
        const chosen = defined({ iteration })
        process.stdout.write(await host.exportCheckpoint(run, { files, ...chosen }))
      }),
    )
  program
    .command('files <tree> <folder>')
    .description('put the files of a tree, as inspect and tail name it, into an empty folder')
    .action((tree: string, folder: string) =>
      withStateFolder(program, async (host, { print }) => {
        const whole = await host.extract(tree, folder)
        print({ tree: whole, folder }, () => visible(`${whole} is in ${folder}`))
      }),
    )
  program
    .command('rm <run...>')
    .description('remove runs that have ended from the record, for good (by id or name)')
    .option('--force', 'also runs that have not ended, if they are not running')
    .option('--yes', 'do not ask')
    .action((runs: string[], options: { force?: boolean; yes?: boolean }) =>
      withRuns(program, async (known, session) => {
        const { hint, json, print } = session
        // An unknown or ambiguous name is reported before the prompt.
        const names: string[] = []
        for (const name of runs) names.push((await known.inspect(name)).run.name)
        const what = `remove ${names.join(', ')} with their journal, checkpoints and worktrees, permanently`
        await requireYes(session, what, options.yes)
        for (const name of runs) {
          const run = await known.remove(name, { force: options.force === true })
          const { worktree } = run
          const removed = { removed: run.id, name: run.name, ...(worktree && { worktree }) }
          print(removed, () => visible(hint(`removed ${run.name}${leftOf(run)}`)))
        }
        if (!json) print(undefined, () => hint(gcAdvice))
      }),
    )
  program
    .command('gc')
    .description('remove unused content and dependency layers')
    .addHelpText(
      'after',
      '\nContent is removed when no run refers to it and it is an hour old. Dependency layers are removed when\n' +
        'unused for 30 days, and the least recently used above 5 GiB or a tenth of the disk.',
    )
    .action(() =>
      withStateFolder(program, async (host, { print }) => {
        const swept = await host.collectGarbage()
        print(swept, () => renderCollected(swept))
      }),
    )
}

function renderCollected({ removed, kept, layers }: Collected): string {
  const { freedBytes, keptBytes, bytesMax } = layers
  const limit = `${renderSize(keptBytes)} of at most ${renderSize(bytesMax)}`
  return [
    `removed ${removed} blobs, kept ${kept}`,
    `removed ${plural(layers.removed, 'dependency layer')} (${renderSize(freedBytes)}), kept ${layers.kept} (${limit})`,
  ].join('\n')
}

/** What is still there, why, and how it goes. */
function leftOf({ worktree, workspace }: RunRemovalResponse): string {
  switch (worktree?.status) {
    case 'kept': {
      const { path, why } = worktree
      const way = `git worktree remove --force ${path}, then loopctl worktrees clean`
      return `; its worktree ${path} stays: ${why}. To remove it with what is in it: ${way}`
    }
    case 'failed':
      return `; its worktree ${workspace} was left as it is: ${worktree.why}`
    case 'removed':
      return worktree.branchKept === undefined
        ? ', with its worktree'
        : `, with its worktree; ${branchStays(worktree.branch, worktree.branchKept)}`
    case 'branch-left':
      return `; ${branchStays(worktree.branch, worktree.branchKept)}`
    default:
      return ''
  }
}

/** Git itself looks whether it is merged, unless it is told not to. */
const branchStays = (branch: string, why: string | undefined): string =>
  why === undefined
    ? `its branch ${branch} stays. To remove it: git branch -d ${branch}`
    : `its branch ${branch} stays: ${why}. To remove it all the same: git branch -D ${branch}`
