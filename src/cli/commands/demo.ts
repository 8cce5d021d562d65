/** `demo`: watch an example run. */

import { Argument, type Command } from 'commander'

export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('watch a small project get fixed (no model, key or network)')
    .addArgument(new Argument('[example]').choices(['mend-duration', 'build-text', 'fix-sum']))
    .option(
      '--agent <name>',
      'use this agent instead of the built-in one: claude, provider/model, …',
    )
    .action(
      async (
        name: 'mend-duration' | 'build-text' | 'fix-sum' | undefined,
        options: { agent?: string },
      ) => {
        const { runDemo } = await import('../demo.ts')
        await runDemo(program, name ?? 'mend-duration', options.agent)
      },
    )
}
