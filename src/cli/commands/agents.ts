/** Commands about agents: which there are, fetching one, and trying one out. */

import type { Command } from 'commander'
import type { FetchPlan } from '../../launch/agents/fetch-agent.ts'
import type { AgentTrial } from '../../launch/agents/try-agent.ts'
import { plural } from '../../loop/excerpt/plural.ts'
import { defined, LoopError } from '../../loop/index.ts'
import { confirm } from '../ask.ts'
import { renderAgents, renderFinding, renderTrialEnd } from '../display/agents-view.ts'
import { renderSection, type SectionOptions } from '../display/findings.ts'
import { visible } from '../display/render.ts'
import { outcomeExitCodes } from '../exit-codes.ts'
import { type AttendedOption, addAttendedOption } from '../run-options.ts'
import { openSession, readStateFolder, type Session, withHost } from '../session.ts'

export function addAgents(program: Command): void {
  const agents = program
    .command('agents')
    .description('list the agents, their versions, keys and what is missing')
    .addHelpText(
      'after',
      '\nWith --json: { sandbox, agents, daemon? }. Key values are never shown.\n' +
        'Uses no network and starts no agent. agents add downloads with npm; agents test starts the agent,\n' +
        'which calls its model.',
    )
    .action(() => list(program))
  agents
    .command('add <name>')
    .description('install the tested version of an agent program with npm')
    .option('--yes', 'do not ask for confirmation')
    .action((name: string, options: { yes?: boolean }) => add(program, name, options.yes === true))
  agents
    .command('remove <name>')
    .description('remove an agent program that agents add installed')
    .action((name: string) => remove(program, name))
  const test = agents
    .command('test <name>')
    .description('let an agent fix a small bug, and report what failed')
    .option('--acp', 'use the Agent Client Protocol')
    .option('--model <model>', 'use this model instead of the default')
    .addHelpText(
      'after',
      '\nThe name is one as in loop files, or provider/model. Exit code: 0 only if its check passed.\n' +
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
  const found = await listAgents(await readStateFolder(program))
  const { daemonFindings, daemonView } = await import('../connection/daemon-view.ts')
  const daemon = await daemonView(program)
  const agents = found.agents.map((agent) => ({ ...agent, walls: earlierWords[agent.isolation] }))
  session.print({ ...found, agents, ...defined({ daemon }) }, () =>
    [
      renderAgents(found, sectionOptions(session)),
      ...(daemon === undefined
        ? []
        : [renderSection('daemon', daemonFindings(daemon), sectionOptions(session))]),
    ].join('\n\n'),
  )
}

/** Earlier versions printed `isolation` as `walls`. */
const earlierWords = { sandbox: 'sandbox', none: 'no walls', 'own-process': 'our process' } as const

async function add(program: Command, name: string, yes: boolean): Promise<void> {
  const session = openSession(program)
  const { fetchAgent, planFetch } = await import('../../launch/agents/fetch-agent.ts')
  const plan = planFetch(name, await readStateFolder(program))
  if (!yes) await requireConsent(session, plan)
  await fetchAgent(plan)
  const { packages, folder } = plan
  session.print({ added: plan.name, packages, folder }, () =>
    visible(
      `${packages.join(' ')} is installed in ${folder}. Try it: loopctl agents test ${plan.name}`,
    ),
  )
}

async function requireConsent({ terminal }: Session, plan: FetchPlan): Promise<void> {
  const what = `install ${plan.packages.join(' and ')} with npm into ${plan.folder}`
  if (!terminal.asks) {
    throw new LoopError('bad-request', `This would ${what}. Pass --yes to confirm.`)
  }
  const again = plan.isThere ? ' It replaces the installed version.' : ''
  if (await confirm(visible(`This would ${what}.${again} Continue?`))) return
  throw new LoopError('bad-request', 'Not confirmed; nothing was installed. Pass --yes to confirm.')
}

async function remove(program: Command, name: string): Promise<void> {
  const { print } = openSession(program)
  const { removeAgent } = await import('../../launch/agents/fetch-agent.ts')
  const removed = await removeAgent(name, await readStateFolder(program))
  print({ agent: name, removed }, () =>
    removed ? `removed ${name}` : `${name} was not installed by loopctl; nothing was removed.`,
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
  const trial: AgentTrial = await withHost(program, (host) =>
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
  `It may use ${limits.tokens} tokens, $${limits.cost.toFixed(2)}, ${limits.time} and ${plural(limits.iterations, 'iteration')} at most.`
