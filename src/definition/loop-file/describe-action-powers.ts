/** Describes what a loop file may do outside of its workspace, for the user who is asked to trust it. */

import { plural } from '../../loop/excerpt/plural.ts'
import { ceilingOf, type Level, type LevelSetting, levelNames } from '../../loop/index.ts'
import type {
  ActionSettings,
  DeliverySink,
  EditProposal,
  GateSettings,
  LoopFile,
} from '../../protocol/index.ts'

/** Nothing for a file without actions: all others that a loop may request need a person. */
export function describeActionPowers({
  level: setting,
  gate,
  actions,
  mergesWhenCertified,
  proposes,
  delivers = [],
}: Pick<
  LoopFile,
  'level' | 'gate' | 'actions' | 'mergesWhenCertified' | 'proposes' | 'delivers'
>): readonly string[] {
  const level = ceilingOf(setting)
  const proposal = proposes === undefined || proposes.kind === 'report' ? undefined : proposes
  const isNone = actions.length === 0 && proposal === undefined
  const decides = isNone && gate.type === 'always-escalate'
  const merges = mergesWhenCertified === true && actions.some(isDefaultMerge) && level > 1
  const others = merges ? 'other actions' : 'actions'
  return [
    ...actions.map((action) => `once the work is certified: ${describeAction(action)}`),
    ...(proposal === undefined
      ? []
      : [`proposes once the work is verified: ${describeAction(proposal)}`]),
    ...(merges ? ['certified work is merged into its branch below agent/ without a person'] : []),
    ...delivers.flatMap(describeSink),
    ...(decides ? [] : [`${others}: ${describeLevel(setting)}, ${describeGate(level, gate)}`]),
  ]
}

/** Nothing for what stays on this machine. */
function describeSink(sink: DeliverySink): readonly string[] {
  if (sink.type === 'webhook') return [`sends its reports to ${sink.url}${token(sink.secretEnv)}`]
  if (sink.type === 'slack') return [`sends its reports to Slack, to the address in ${sink.urlEnv}`]
  return sink.type === 'email' ? [`sends its reports to ${sink.to}, by your mail command`] : []
}

const isDefaultMerge = (action: ActionSettings): boolean =>
  action.kind === 'merge' && action.into === undefined

const describeLevel = (setting: LevelSetting): string =>
  setting === 'earned'
    ? `${levelNames[1]}, and by evidence up to ${levelNames[3]}`
    : levelNames[setting]

function describeGate(level: Level, gate: GateSettings): string {
  if (level === 1) return 'none is performed'
  if (gate.type === 'always-escalate') return 'a person decides about each'
  if (gate.type === 'policy') return 'the policy decides'
  if (level === 2) return 'a person decides about each, because the level is below 3'
  const { allow, deny, maxFiles } = gate
  const except = deny.length === 0 ? '' : `, not in ${deny.join(', ')}`
  return `${allow.join(', ')} without a person (at most ${plural(maxFiles, 'file')}${except})`
}

/** One line, also for a dry run. */
export function describeAction(action: ActionSettings | EditProposal): string {
  switch (action.kind) {
    case 'edit-artifacts':
      return action.isChosen
        ? 'changes the artifacts of its manifest without a person, as apply says'
        : 'changes the artifacts of its manifest'
    case 'merge':
      if (action.strategy === 'none') return 'does not merge it'
      return `merges it into ${action.into ?? (action.isDefault === true ? 'agent/<spec>' : 'agent/<loop>')}`
    case 'commit':
      return `commits it to the new branch ${action.branch ?? 'agent/<run>'}`
    case 'apply-patch':
      return 'applies the changes to the files of the checkout'
    case 'open-pr':
      return `pushes its branch to ${action.remote} and opens a pull request with gh`
    case 'comment':
      return action.on === undefined
        ? `comments with gh on one of the issues or pull requests of ${action.remote} that it read`
        : `comments on number ${action.on} of ${action.remote} with gh`
    case 'draft':
      return 'writes a draft to the state folder'
    case 'webhook':
      return `sends a request to ${action.url}${token(action.tokenEnv)}`
    case 'notify':
      return `notifies you (${describeChannel(action.by)})`
    case 'start-run':
      return `starts a run of ${action.loop}`
    case 'clean-up':
      return 'removes worktrees of ended runs whose work is merged'
    case 'command': {
      const env =
        action.env.length === 0 ? '' : `, with ${action.env.join(', ')} of your environment`
      return `runs ${action.command.join(' ')} in the sandbox${env}`
    }
  }
}

const token = (name: string | undefined): string =>
  name === undefined ? '' : `, with ${name} of your environment`

function describeChannel(by: Extract<ActionSettings, { kind: 'notify' }>['by']): string {
  if (by.type === 'webhook') return `a request to ${by.url}`
  return by.type === 'command' ? `${by.command.join(' ')} in the sandbox` : by.type
}
