/** `completion`: prints the script that a shell loads. `complete` answers its queries, before commands are loaded. */

import { Argument, type Command } from 'commander'

const shells = ['bash', 'zsh', 'fish'] as const

const help = `
Load it in each new shell:
  bash  echo 'source <(loopctl completion bash)' >> ~/.bashrc
  zsh   echo 'source <(loopctl completion zsh)' >> ~/.zshrc     (after compinit)
  fish  loopctl completion fish > ~/.config/fish/completions/loopctl.fish
`

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print the completion script for a shell')
    .addArgument(new Argument('<shell>', 'which').choices(shells))
    .addHelpText('after', help)
    .action(async (shell: (typeof shells)[number]) => {
      const { printScript } = await import('../complete.ts')
      printScript(shell)
    })
}
