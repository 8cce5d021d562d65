/** The commands for policies: check, explain, backtest. */

import type { Command } from 'commander'
import { defined, LoopError } from '../../loop/index.ts'
import { renderBacktest, renderExplanation, renderReport } from '../display/policy-view.ts'
import { openSession, withExistingHost, withRuns } from '../session.ts'
import { configHere } from '../settings-here.ts'
import { shellWord } from '../shell-word.ts'

export function addPolicy(program: Command): void {
  const policy = program.command('policy').description('check, explain and backtest policies')
  policy
    .command('check [files...]')
    .description('check policy files (default: those of the config)')
    .option('--config <file>', 'config file; overrides discovered ones')
    .action((files: readonly string[], { config }: { readonly config?: string }) =>
      check(program, files, config),
    )
  policy
    .command('explain <run>')
    .description('show each decision about a run, with its rule')
    .action((run: string) =>
      withRuns(program, async (runs, { print }) => {
        const explanation = await runs.explainPolicy(run)
        print(explanation, () => renderExplanation(explanation))
      }),
    )
  policy
    .command('backtest <files...>')
    .description('show what a policy would have done to past runs')
    .action((files: readonly string[]) =>
      withExistingHost(program, async (host, { print }) => {
        const { backtestFiles } = await import('../../launch/policy/backtest-files.ts')
        const result = await backtestFiles(host, files)
        print(result, () => renderBacktest(result))
      }),
    )
}

const noPolicy =
  'No policy file is configured here. Name the files: loopctl policy check <files>. ' +
  'Those of a loop file are checked by: loopctl validate <loop file>'

async function check(
  program: Command,
  given: readonly string[],
  config: string | undefined,
): Promise<void> {
  const { hint, json, print } = openSession(program)
  const loopFile = given.find((file) => /\.ya?ml$/.test(file))
  if (loopFile !== undefined) {
    const advice = `To check it with its policies: loopctl validate ${shellWord(loopFile)}`
    throw new LoopError('bad-request', `${loopFile} is not a policy file. ${hint(advice)}`)
  }
  const files = given.length > 0 ? given : await configuredFiles(program, config)
  const { checkPolicy } = await import('../../launch/policy/check-policies.ts')
  const reports = await Promise.all(files.map(checkPolicy))
  for (const report of reports) print(report, () => renderReport(report))
  if (reports.length === 0 && !json) print([], () => hint(noPolicy))
  if (reports.every(({ ok }) => ok)) return
  throw new LoopError('bad-policy', 'The policy has problems; see above. Correct them.')
}

async function configuredFiles(
  program: Command,
  config: string | undefined,
): Promise<readonly string[]> {
  const { settings } = await configHere(program, {}, ...Object.values(defined({ config })))
  const { enforce = [], monitor = [] } = settings.policy
  return [...new Set([...enforce, ...monitor])]
}
