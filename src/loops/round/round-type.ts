/** The loop type `round` for loop files: its keys, its roles, and its loop. */

import { type Action, ceilingOf, defined, effectiveLevel, toJson } from '../../loop/index.ts'
import {
  type FileProblem,
  type LoopFile,
  makerRole,
  type ProposalSettings,
} from '../../protocol/index.ts'
import type { LoopTypeDefinition, PrepareOptions } from '../loop-type-definition.ts'
import { fromFile } from '../prompt-sections.ts'
import { captureGoal, goalInput, renderGoal } from './goal-file.ts'
import { limitTurns } from './limit-turns.ts'
import { auditRound } from './readiness.ts'
import { type RoundKeys, roundKeys } from './round-keys.ts'
import { roundLoop } from './round-loop.ts'
import {
  createRoundPrompts,
  describeChecking,
  describeEnding,
  promptTokensMax,
  promptVariables,
  toPromptValues,
} from './round-prompts.ts'
import type { RoundSettings } from './round-settings.ts'
import { roundSummary } from './round-summary.ts'

export const checkerRole = 'checker'

export const roundType: LoopTypeDefinition<RoundKeys> = {
  name: roundSummary.name,
  description: roundSummary.description,
  roles: {
    [makerRole]: {
      description: 'does the work of the round',
      access: 'write',
      absent: 'refused',
      label: 'maker',
      reports: true,
      phase: 'implementation',
    },
    [checkerRole]: {
      description: 'verifies the work in a fresh context, read-only',
      access: 'read',
      absent: { sameAs: makerRole },
      label: 'checker',
      phase: 'review',
    },
  },
  // It is one iteration, whose conditions are its own.
  until: [{ type: 'max-iterations', iterations: 1 }],
  keys: roundKeys,
  prompts: ({ prompt, checkerPrompt }) => defined({ prompt, checkerPrompt }),
  readsAtLevel1: true,
  once: true,
  // It has a gate, and one separate question.
  escalate: false,
  gathers: ({ gather }) => gather,
  delivers: ({ deliver }) => deliver,
  complete: limitTurns,
  proposes: ({ propose }) => propose,
  inputs: [goalInput],
  completeInput: ({ settings }, input, read) => captureGoal(settings.goal, input, read),
  audit: auditRound,
  problems: findProblems,
  judge: ({ name, settings: { intent } }, { checkerPrompt = [] }) => ({
    role: checkerRole,
    prompt: describeChecking({ name, intent }, checkerPrompt),
  }),
  async prepare(file, given) {
    const settings = toSettings(file, given)
    const prompts = await createRoundPrompts(settings.prompt, settings.checkerPrompt)
    prompts.maker.check(promptVariables)
    prompts.checker.check(promptVariables)
    const values = {
      ...toPromptValues({ ...settings, level: settings.level ?? 2, input: given.input }),
      memory: '',
      gathered: '',
      goal: renderGoal(given.input),
      ending: describeEnding(file.settings.propose.kind, [], '<id>'),
    }
    const write = (): string => prompts.maker.write(values, { tokensMax: promptTokensMax }).text
    write()
    return {
      loop: roundLoop(settings),
      variables: prompts.maker.variables,
      warnings: [],
      firstPrompt: write,
    }
  },
}

/** At level 3 it acts without a person: it must remember what it did, and nothing may weaken its sandbox. */
function findProblems({
  actions,
  level,
  sandbox,
  settings,
}: Omit<LoopFile<RoundKeys>, 'name'>): readonly FileProblem[] {
  const problems: FileProblem[] = []
  if (actions.length > 0) {
    const reason = 'a round proposes one action, under propose: move it there'
    problems.push({ path: ['then'], reason, atKey: true })
  }
  if (ceilingOf(level) < 3) return problems
  if (settings.memory === false) {
    const reason = 'at level 3 a round must remember what it did: remove this key, or set level: 2'
    problems.push({ path: ['memory'], reason })
  }
  if (sandbox.require === 'none' || sandbox.require === 'basic') {
    const reason = 'at level 3 a round needs a strong sandbox: set strong, or level: 2'
    problems.push({ path: ['sandbox', 'require'], reason })
  }
  return problems
}

function toSettings(
  { name, level, settings }: LoopFile<RoundKeys>,
  { version, prompts, ports }: PrepareOptions,
): RoundSettings {
  const { intent, gather, memory, permissions, propose, proposals } = settings
  const read = (key: 'prompt' | 'checkerPrompt') => {
    const sections = prompts[key]
    return sections === undefined || sections.length === 0 ? undefined : fromFile(sections)
  }
  return {
    name,
    intent,
    version,
    level: ports?.level ?? effectiveLevel(level),
    // Prepared for its executor where the loop is opened for a run.
    propose: ports?.proposes ?? toProposed(propose),
    gather,
    memory,
    permissions,
    proposals,
    ...defined({ prompt: read('prompt'), checkerPrompt: read('checkerPrompt'), ports }),
  }
}

function toProposed({ kind, ...details }: ProposalSettings): Omit<Action, 'summary'> {
  return Object.keys(details).length === 0 ? { kind } : { kind, details: toJson(details) }
}
