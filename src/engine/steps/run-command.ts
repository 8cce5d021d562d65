/**
 * A command of the loop, in a copy of the workspace. It changes no file, so it takes no turn at the workspace and several
 * run at the same time; how many is up to its port.
 *
 * E2. A command with a report never runs again.
 */

import { type StepOptions, toJson } from '../../loop/index.ts'
import type { CommandReport, CommandTask } from '../../loop/step/command-task.ts'
import type { Branch } from '../live-run.ts'
import { askPolicyAboutCommand } from '../policy.ts'
import { askStep } from './ask-step.ts'
import { required } from './run-check.ts'

export async function runCommand(
  branch: Branch,
  name: string,
  task: CommandTask,
  options: StepOptions,
): Promise<CommandReport> {
  const { number: iteration, run } = branch.iteration
  const commands = required(run.ports.commands, `the command "${name}"`)
  const report = await askStep(branch, {
    kind: 'command',
    name,
    options,
    files: 'nothing',
    async run(context, step) {
      const ruling = await askPolicyAboutCommand(run, { iteration, step })
      if (ruling?.isDenied === true) return denied(ruling.reason ?? 'no rule permits it')
      return toJson(await commands.run(task, { ...context, iteration, step }))
    },
    finished(result) {
      const { output } = result as unknown as CommandReport
      return output === undefined ? {} : { names: [output.blob] }
    },
  })
  return report as unknown as CommandReport
}

const denied = (reason: string): CommandReport => ({
  ended: 'denied',
  problem: `the policy does not allow this command: ${reason}`,
  stdout: '',
  stderr: '',
  durationMs: 0,
})
