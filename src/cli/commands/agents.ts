/** Commands about agents: which there are, fetching one, and trying one out. */

import type { Command } from 'commander'
import type { FetchPlan } from '../../launch/agents/fetch-agent.ts'
import type { AgentTrial } from '../../launch/agents/try-agent.ts'
import { defined, LoopError } from '../../loop/index.ts'
import { confirm } from '../ask.ts'
import { renderAgents, renderFinding, renderTrialEnd } from '../display/agents-view.ts'
import { renderSection, type SectionOptions } from '../display/findings.ts'
import { visible } from '../display/render.ts'
import { outcomeExitCodes } from '../exit-codes.ts'
import { type AttendedOption, addAttendedOption } from '../run-options.ts'
import { openSession, type Session, stateFolderOf, withNewStateFolder } from '../session.ts'

export function addAgents(program: Command): void {
  const agents = program
    .command('agents')
    .description('which agents there are: found where, version, sandbox, keys, what is missing')
    .addHelpText(
      'after',
      '\nWith --json: { sandbox, agents, daemon? }. Values of keys are never shown.\n' +
        'Looking reaches no network and starts no agent. agents add fetches with npm; agents test starts\n' +
        'the agent, which asks its model.',
    )
    .action(() => list(program))
  agents
    .command('add <name>')
    .description('fetch an agent program with npm: the version that was tested, without scripts')
    .option('--yes', 'without being asked')
    .action((name: string, options: { yes?: boolean }) => add(program, name, options.yes === true))
  agents
    .command('remove <name>')
    .description('remove an agent program that was fetched')
    .action((name: string) => remove(program, name))
  const test = agents
    .command('test <name>')
    .description('have an agent mend a small fault from end to end, and say what broke')
    .option('--acp', 'by the Agent Client Protocol, if it speaks it')
    .option('--model <model>', 'another model than the usual one')
    .addHelpText(
      'after',
      '\nA name as in loop files, or provider/model. The exit code is 0 only if its check passed.\n' +
        'With --json: { agent, ok, findings, next, run?, workspace? }.',
    )
  addAttendedOption(test).action((name: string, options: TestOptions) =>
    tryOut(program, name, options),
  )
}

const widthMax = 100

const sectionOptions = ({ terminal }: Session): SectionOptions => ({
  style: terminal.style,
  width: terminal.live ? Math.min(terminal.width(), widthMax) : Number.POSITIVE_INFINITY,
})

async function list(program: Command): Promise<void> {
  const session = openSession(program)
  const { listAgents } = await import('../../launch/agents/list-agents.ts')
  const found = await listAgents(await stateFolderOf(program))
  const { daemonFindings, daemonView } = await import('../connection/daemon-view.ts')
  const daemon = await daemonView(program)
  session.print({ ...found, ...defined({ daemon }) }, () =>
    [
      renderAgents(found, sectionOptions(session)),
      ...(daemon === undefined
        ? []
        : [renderSection('daemon', daemonFindings(daemon), sectionOptions(session))]),
    ].join('\n\n'),
  )
}

async function add(program: Command, name: string, yes: boolean): Promise<void> {
  const session = openSession(program)
  const { fetchAgent, planFetch } = await import('../../launch/agents/fetch-agent.ts')
  const plan = planFetch(name, await stateFolderOf(program))
  if (!yes) await requireConsent(session, plan)
  await fetchAgent(plan)
  const { packages, folder } = plan
  session.print({ added: plan.name, packages, folder }, () =>
    visible(`${packages.join(' ')} is in ${folder}. Try it with: loopctl agents test ${plan.name}`),
  )
}

async function requireConsent({ terminal }: Session, plan: FetchPlan): Promise<void> {
  const what = `fetch ${plan.packages.join(' and ')} with npm into ${plan.folder}`
  if (!terminal.asks) {
    throw new LoopError('bad-request', `This would ${what}. Say --yes if that is wanted.`)
  }
  const again = plan.isThere ? ' What is there is replaced.' : ''
  if (await confirm(visible(`Shall I ${what}?${again}`))) return
  throw new LoopError(
    'bad-request',
    'Nothing was fetched. Answer yes, or say --yes, if it is wanted.',
  )
}

async function remove(program: Command, name: string): Promise<void> {
  const { print } = openSession(program)
  const { removeAgent } = await import('../../launch/agents/fetch-agent.ts')
  const removed = await removeAgent(name, await stateFolderOf(program))
  print({ agent: name, removed }, () =>
    removed ? `removed ${name}` : `${name} was not fetched by loopctl; nothing was removed.`,
  )
}

interface TestOptions extends AttendedOption {
  readonly acp?: boolean
  readonly model?: string
}

async function tryOut(program: Command, name: string, options: TestOptions): Promise<void> {
  const session = openSession(program)
  const stop = new AbortController()
  const onSignal = (): void => stop.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal)
  const { trialBudget, tryAgent } = await import('../../launch/agents/try-agent.ts')
  const width = sectionOptions(session)
  const trial: AgentTrial = await withNewStateFolder(program, (host) =>
    tryAgent(host, name, {
      signal: stop.signal,
      attended: session.terminal.asks || options.attended === true,
      ...(options.acp === true ? { acp: true } : {}),
      ...defined({ model: options.model }),
      onStart: () => {
        if (session.json || name === 'repair') return
        process.stdout.write(`${budgetLine(trialBudget)}\n`)
      },
      onFinding: (finding) => {
        if (!session.json) process.stdout.write(`${renderFinding(finding, width)}\n`)
      },
    }),
  )
  session.print(trial, () => renderTrialEnd(trial))
  if (!trial.ok) process.exitCode = outcomeExitCodes.failed
}

const budgetLine = (limits: { iterations: number; tokens: number; cost: number; time: string }) =>
  `It may use ${limits.tokens} tokens, $${limits.cost.toFixed(2)}, ${limits.time} and ${limits.iterations} iterations at most.`
