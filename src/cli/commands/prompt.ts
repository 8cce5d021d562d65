/** `prompt`: prints the first prompt that the agent would get. */

import type { Command } from 'commander'
import { addCheckOption } from '../check-option.ts'
import type { InlineOptions } from '../inline-loop.ts'
import { addLimitOptions } from '../limit-options.ts'
import { addChangeOptions, addLoadOptions } from '../run-options.ts'
import { folderName } from '../session.ts'
import type { RunOptions } from '../start/start-options.ts'

type PromptOptions = RunOptions & InlineOptions

export function addPrompt(program: Command): void {
  const prompt = program
    .command('prompt <file> [plan]')
    .description('print the first prompt of a loop file or spec')
    .option('--agent <name>', 'for a spec without a loop file: as for run')
    .option('--workspace <folder>', 'where the run would work', folderName)
    .option('--config <file>', 'config file; overrides discovered ones')
  addCheckOption(prompt, 'for a spec without a loop file: as for run; repeatable')
  addLoadOptions(addLimitOptions(addChangeOptions(prompt)))
  prompt.action(async (named: string, plan: string | undefined, given: PromptOptions) => {
    const { chooseRunLoop } = await import('../inline-loop.ts')
    const { showPrompt } = await import('../start/dry-run.ts')
    const chosen = await chooseRunLoop(program, { named, plan }, { ...given, dryRun: true })
    try {
      await showPrompt(program, chosen.file, chosen.options)
    } finally {
      await chosen.close()
    }
  })
}
