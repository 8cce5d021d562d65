/** `prompt`: what the agent would be told first. */

import type { Command } from 'commander'
import { addChangeOptions, addLimitOptions, addLoadOptions } from '../run-options.ts'
import { folderName } from '../session.ts'
import type { RunOptions } from '../start/start-options.ts'

export function addPrompt(program: Command): void {
  const prompt = program
    .command('prompt <file>')
    .description('the first prompt of a loop file, as the agent would get it; nothing is started')
    .option('--workspace <folder>', 'where it would work', folderName)
    .option('--config <file>', 'config file; overrides discovered ones')
  addLoadOptions(addLimitOptions(addChangeOptions(prompt)))
  prompt.action(async (file: string, options: RunOptions) => {
    const { showPrompt } = await import('../start/dry-run.ts')
    await showPrompt(program, file, options)
  })
}
