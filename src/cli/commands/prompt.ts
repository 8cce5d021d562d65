/** `prompt`: prints the first prompt that the agent would get. */

import type { Command } from 'commander'
import { addLimitOptions } from '../limit-options.ts'
import { addChangeOptions, addLoadOptions } from '../run-options.ts'
import { folderName } from '../session.ts'
import type { RunOptions } from '../start/start-options.ts'

export function addPrompt(program: Command): void {
  const prompt = program
    .command('prompt <file>')
    .description('print the first prompt of a loop file without starting it')
    .option('--workspace <folder>', 'where the run would work', folderName)
    .option('--config <file>', 'config file; overrides discovered ones')
  addLoadOptions(addLimitOptions(addChangeOptions(prompt)))
  prompt.action(async (file: string, options: RunOptions) => {
    const { showPrompt } = await import('../start/dry-run.ts')
    await showPrompt(program, file, options)
  })
}
