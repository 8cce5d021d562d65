/** Commands about the state folder itself: export, files, rm, gc. */

import type { Command } from 'commander'
import type { Collected } from '../../host/collect-garbage.ts'
import { defined } from '../../loop/index.ts'
import type { RunRemovalResponse } from '../../protocol/api/index.ts'
import { plural, renderSize } from '../display/amounts.ts'
import { visible } from '../display/render.ts'
import { requireYes } from '../require-yes.ts'
import { wholeNumber, withExistingHost, withRuns } from '../session.ts'

const gcAdvice = 'To free the disk space of their files: loopctl gc'

export function addStateFolderCommands(program: Command): void {
  program
    .command('export <run>')
    .description('export a checkpoint to a file that any machine can resume')
    .option(
      '--iteration <n>',
      'the checkpoint after this iteration (default: the last)',
      wholeNumber,
    )
    .option('--no-files', 'leave out the files of the workspace')
    .action((run: string, options: { iteration?: number; files: boolean }) =>
      withExistingHost(program, async (host) => {
        const { iteration, files } = options
        const chosen = defined({ iteration })
        process.stdout.write(await host.exportCheckpoint(run, { files, ...chosen }))
      }),
    )
  program
    .command('files <tree> <folder>')
    .description('extract a recorded snapshot into an empty folder')
    .action((tree: string, folder: string) =>
      withExistingHost(program, async (host, { print }) => {
        const whole = await host.extract(tree, folder)
        print({ tree: whole, folder }, () => visible(`Extracted ${whole} into ${folder}`))
      }),
    )
  program
    .command('rm <run...>')
    .description('permanently remove ended runs and their journal')
    .option('--force', 'also remove runs that have not ended but are not running')
    .option('--yes', 'do not ask for confirmation')
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
          print(removed, () => visible(hint(`removed ${run.name}${describeKept(run)}`)))
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
      withExistingHost(program, async (host, { print }) => {
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

/** What was kept, why, and how to remove it. */
function describeKept({ worktree, workspace }: RunRemovalResponse): string {
  switch (worktree?.status) {
    case 'kept': {
      const { path, why } = worktree
      const way = `git worktree remove --force ${path}, then loopctl worktrees clean`
      return `; its worktree ${path} was kept: ${why}. To remove it with everything in it: ${way}`
    }
    case 'failed':
      return `; its worktree ${workspace} was kept: ${worktree.why}`
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

/** `git branch -d` refuses a branch that is not merged; `-D` does not. */
const branchStays = (branch: string, why: string | undefined): string =>
  why === undefined
    ? `its branch ${branch} was kept. To remove it: git branch -d ${branch}`
    : `its branch ${branch} was kept: ${why}. To remove it anyway: git branch -D ${branch}`
