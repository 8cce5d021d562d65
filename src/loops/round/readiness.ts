/**
 * How ready the loop file of a round is for the level that it asks for: a score, and what is missing, the most important
 * first. It looks at the file alone. What level 3 cannot do without is a problem of the file, not a matter of points.
 */

import { ceilingOf, defaultLimits, type Limits } from '../../loop/index.ts'
import type { LoopFile } from '../../protocol/index.ts'
import type { Readiness } from '../loop-type-definition.ts'
import type { RoundKeys } from './round-keys.ts'

type File = Pick<
  LoopFile<RoundKeys>,
  'agents' | 'checks' | 'gate' | 'level' | 'limits' | 'sandbox' | 'scope' | 'settings'
>

interface Point {
  readonly points: number
  readonly isMet: boolean
  /** What to do. */
  readonly missing: string
}

export function auditRound(file: File): Readiness {
  const points = listPoints(file)
  const all = points.reduce((sum, { points: one }) => sum + one, 0)
  const met = points.filter(({ isMet }) => isMet).reduce((sum, { points: one }) => sum + one, 0)
  return {
    score: Math.round((100 * met) / all),
    missing: points
      .filter(({ isMet }) => !isMet)
      .toSorted((a, b) => b.points - a.points)
      .map(({ missing }) => missing),
  }
}

function listPoints(file: File): readonly Point[] {
  const { agents, settings, limits, gate, sandbox } = file
  const { maker, checker } = agents
  const { checkerPrompt, memory, gather, deliver, propose } = settings
  const isAllowList = gate.type === 'allow-list'
  return [
    {
      points: 20,
      isMet: checker !== undefined && JSON.stringify(checker) !== JSON.stringify(maker),
      missing:
        'agents.checker: name another agent or model than the maker, so that it does not share its mistakes',
    },
    {
      points: 15,
      isMet: memory !== false,
      missing: 'memory: without it, each round begins from nothing',
    },
    {
      points: 15,
      isMet: hasBudget(limits),
      missing:
        'limits: set tokens, inputTokens, outputTokens or cost to what one round should need',
    },
    {
      points: 15,
      isMet: sandbox.require === 'strong' || ceilingOf(file.level) < 3,
      missing: 'sandbox.require: set it to strong',
    },
    ...fileWork(file),
    {
      points: 10,
      isMet: checkerPrompt !== undefined,
      missing: 'checkerPrompt: say what the checker has to verify',
    },
    {
      points: 5,
      isMet: gather.length > 0,
      missing: 'gather: name what the maker has to know, so that it need not guess',
    },
    {
      points: 5,
      isMet: deliver.length > 0,
      missing: 'deliver: name who gets the report',
    },
    ...(ceilingOf(file.level) < 3
      ? []
      : [
          {
            points: 15,
            isMet: isAllowList && gate.allow.includes(propose.kind) && gate.deny.length > 0,
            missing:
              isAllowList && gate.allow.includes(propose.kind)
                ? 'gate: list paths that always need a person (deny)'
                : `gate: list what needs no person (allow: [${propose.kind}]), and paths that always need one (deny)`,
          },
        ]),
  ]
}

/** Of rounds that propose changed files. */
function fileWork({ checks, scope, settings }: File): readonly Point[] {
  if (!aboutFiles.has(settings.propose.kind)) return []
  return [
    {
      points: 20,
      isMet: Object.keys(checks).length > 0,
      missing: 'checks: without one, no work can be certified, and every proposal needs a person',
    },
    {
      points: 5,
      isMet: scope.length > 0,
      missing: 'scope: name what the maker may change',
    },
  ]
}

const aboutFiles: ReadonlySet<string> = new Set(['merge', 'commit', 'apply-patch', 'open-pr'])

/** The defaults are those of a whole task. */
const hasBudget = ({ tokens, inputTokens, outputTokens, costMicros }: Limits): boolean =>
  tokens < defaultLimits.tokens ||
  costMicros < defaultLimits.costMicros ||
  inputTokens !== undefined ||
  outputTokens !== undefined
