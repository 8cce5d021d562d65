/** The text of a new loop file, with a comment for each part. */

import { stringify } from 'yaml'
import { findNearestName, type Json, LoopError } from '../../loop/index.ts'
import { agentNames } from '../../protocol/index.ts'

export interface LoopDraft {
  /** The value of `agent` in the loop file. */
  readonly agent: Json
  /** Commands by name. */
  readonly checks: Readonly<Record<string, string>>
  readonly task: string
  /** Absent: the defaults of loop files. */
  readonly limits?: DraftLimits
}

export interface DraftLimits {
  readonly iterations: number
  /** In dollars. */
  readonly cost: number
  readonly time: string
}

export interface InitText {
  /** Path of the schema, relative to the loop file, for editors. */
  readonly schema: string
  /** Relative to the folder of the loop file. */
  readonly workspace: string
  /** The command that runs it. */
  readonly run: string
}

export const initLimits: DraftLimits = { iterations: 10, cost: 5, time: '1h' }

export const defaultTask = 'Make the checks pass. Correct the code, not the tests.'

export function initText(draft: LoopDraft, { schema, workspace, run }: InitText): string {
  return `# yaml-language-server: $schema=${schema}
# Run it:  ${run}      See what it would do:  ${run} --dry-run

# The folder to work in, relative to this file. In a git repository each run gets a worktree and a branch.
${yaml({ workspace })}
# The task. For one run:  ${run} --input goal='Fix the date parser.'
${yaml({ input: { goal: draft.task } })}
# The prompt of each iteration. {{ progress }} holds what was tried and what the checks reported.
${prompt('goal')}
# The agent: ${agentNames.join(', ')}, { model: provider/model }, { command: [program, args] }.
# What is installed here:  loopctl agents
${yaml({ agent: draft.agent })}
# Loopwright runs these itself. The run is complete when all pass in a clean checkout.
${yaml({ checks: draft.checks })}
# The most that one run may use. cost is in dollars.
${yaml({ limits: draft.limits ?? initLimits })}`
}

/** For a run without a loop file; has no comments. */
export function inlineText(name: string, draft: LoopDraft): string {
  const { agent, checks } = draft
  return `# Written by: loopctl run, from its options.
${yaml({ name, input: { task: draft.task } })}${prompt('task')}${yaml({ agent, checks })}`
}

/** The built-in loop for a spec. */
export function buildText(name: string, { agent, checks }: Omit<LoopDraft, 'task'>): string {
  return `# Written by: loopctl run, for a spec.
${yaml({ loop: 'build', name, agents: { maker: agent }, checks })}`
}

const prompt = (input: string): string => `prompt: |
  {{ input.${input} }}

  {{ progress }}
`

const yaml = (value: object): string => stringify(value, { lineWidth: 0 })

const programWord = /^[\w@%+=:,./-]+$/

/** Converts the value of `--agent` to the setting of a loop file. */
export function parseAgent(written: string): Json {
  const text = written.trim()
  if (agentNames.some((name) => name === text)) return text
  if (text.startsWith('{')) {
    const message = '--agent takes no YAML.'
    throw new LoopError(
      'bad-request',
      `${message} Use a name, provider/model or a command: --agent claude, --agent anthropic/claude-sonnet-5, --agent 'python3 agent.py'. Settings belong in a loop file: loopctl init`,
    )
  }
  const words = text.split(/\s+/)
  if (words.length > 1) {
    const isPlain = words.every((word) => programWord.test(word))
    return { command: isPlain ? words : ['/bin/sh', '-c', text] }
  }
  if (/^(?:\.{0,2}|~)\//.test(text)) return { command: [text] }
  if (/^[a-z0-9][a-z0-9-]*\/\S+$/.test(text)) return { model: text }
  const near = findNearestName(text, agentNames)
  const meant = near === undefined ? '' : ` Did you mean ${near}?`
  throw new LoopError(
    'bad-request',
    `"${text}" is not an agent.${meant} Use ${agentNames.join(', ')}, provider/model, or a command with its arguments in quotes.`,
  )
}
