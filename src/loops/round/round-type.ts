/** The loop type `round` for loop files: its keys, its roles, and its loop. */

import { type Action, defined, effectiveLevel, toJson } from '../../loop/index.ts'
import {
  type FileProblem,
  type LoopFile,
  makerRole,
  type ProposalSettings,
} from '../../protocol/index.ts'
import type { LoopTypeDefinition, PrepareOptions } from '../loop-type-definition.ts'
import { fromFile } from '../prompt-sections.ts'
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
  // It has a gate, and one question of its own.
  escalate: false,
  gathers: ({ gather }) => gather,
  delivers: ({ deliver }) => deliver,
  proposes: ({ propose }) => propose,
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
      goal: '',
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

function findProblems({ actions }: Omit<LoopFile<RoundKeys>, 'name'>): readonly FileProblem[] {
  if (actions.length === 0) return []
  const reason = 'a round proposes one action, under propose: move it there'
  return [{ path: ['then'], reason, atKey: true }]
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
