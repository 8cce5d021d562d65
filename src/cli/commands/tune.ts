/** The command that tunes files against cases. The operations of the loop type are its other commands. */

import { type Command, Option } from 'commander'
import { addLimitOptions } from '../limit-options.ts'
import { addAttendedOption, addTrustOption } from '../run-options.ts'
import { folderName } from '../session.ts'
import type { TuneOptions } from '../tune/tune-options.ts'

const help = `
Without --manifest, loop.manifest.json of this folder is used; without one, questions make it.
At a terminal you answer the questions, else a policy does; --answers answers them from a file.
`

export function addTune(program: Command): void {
  const command = program
    .command('tune [file]')
    .description('improve files against cases, and prove that they got better')
    .option('--manifest <file>', 'the manifest of the workload (default: loop.manifest.json)')
    .option('--plan <file>', 'use this LOOP_PLAN.md instead of planning')
    .option('--case <path>', 'only this case, in the baseline too; repeatable', addCase)
    .option('--continue [run]', 'go on after the last iteration of a run or a LOOP_LOG.md')
    .addOption(
      new Option('--mode <mode>', 'what an iteration may do (default: precision)').choices([
        'precision',
        'exploration',
        'convergence',
        'custom',
      ]),
    )
    .option('--framing <text>', 'describe a custom mode in your own words')
    .option('--answers <file>', 'answers to questions by their names: YAML or JSON')
    .option('--request <file>', 'a LOOP_REQUEST.md; a LOOP_RESPONSE.md answers it')
    .addOption(
      new Option('--pick <who>', 'who decides (default: ask at a terminal)').choices([
        'ask',
        'policy',
      ]),
    )
    .addOption(
      new Option('--apply <when>', 'when the files change (default: ask)').choices([
        'ask',
        'proven',
        'kept',
        'never',
      ]),
    )
    .option('--composer <agent>', 'an agent that proposes changes (default: search of knobs)')
    .option('--reviewer <agent>', 'an agent that judges outputs')
    .option('--workspace <folder>', 'where to work (default: this folder)', folderName)
    .option('--name <name>', 'a name for the run (default: generated)')
    .option('--detach', 'return once the daemon has accepted it')
    .option('--dry-run', 'print the plan and the possible cost; start nothing')
  addTrustOption(addAttendedOption(addLimitOptions(command)))
  command.addHelpText('after', help)
  command.action(async (file: string | undefined, options: TuneOptions) => {
    const { startTuning } = await import('../tune/start-tuning.ts')
    await startTuning(program, file, options)
  })
}

const addCase = (path: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  path,
]
