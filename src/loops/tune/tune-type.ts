/** The loop type `tune` for loop files: its keys, its roles, and its loop. */

import { z } from 'zod'
import { defined, LoopError } from '../../loop/index.ts'
import {
  innerPath,
  integer,
  isJsonObject,
  type JsonObject,
  key,
  keys,
  type LoopFile,
  manifestFileName,
} from '../../protocol/index.ts'
import type { LoopTypeDefinition, PrepareOptions } from '../loop-type-definition.ts'
import { type TuneMode, tuneModes } from './modes.ts'
import { captureInput, readTuneInput } from './tune-input.ts'
import { tuneLoop } from './tune-loop.ts'
import {
  type AgentsByRole,
  composerRole,
  requireRoles,
  reviewerRole,
  tuneRoles,
} from './tune-roles.ts'
import type { ApplyPolicy, TuneSettings } from './tune-session.ts'
import { tuneSummary } from './tune-summary.ts'
import { logOfTuning, showTuning } from './view/operations.ts'
import { tunePanels } from './view/tune-panels.ts'
import { requireManifest } from './workload/open-workload.ts'

/** The keys of a loop file that belong to `tune`. */
export interface TuneKeys {
  readonly manifest: string
  readonly mode: TuneMode
  readonly pick: TuneSettings['pick']
  readonly apply: ApplyPolicy
  readonly search: TuneSettings['search']
  readonly models: boolean
}

const iterationsMax = 10_000
const searchPassesDefault = 10

export const tuneType: LoopTypeDefinition<TuneKeys> = {
  name: tuneSummary.name,
  description: tuneSummary.description,
  roles: tuneRoles,
  // Its own conditions end it before.
  until: [{ type: 'max-iterations', iterations: iterationsMax }],
  complete: withDefaults,
  keys: {
    manifest: key(
      innerPath('the path of a file, from the root of the workspace').prefault(manifestFileName),
      'The manifest of the workload: what may be changed, the cases, and the commands that run and judge them.',
      manifestFileName,
    ),
    mode: key(
      z.enum(tuneModes).prefault('precision'),
      'precision: one variable at a time, no regression. exploration: bold changes, regressions are tolerated. convergence: no failure is left in the target set. custom: as the input framing says.',
      'precision',
    ),
    pick: key(
      z.enum(['ask', 'policy']).prefault('ask'),
      'Who decides: ask (a person answers every question), or policy (options are raced, and defaults are taken).',
      'policy',
    ),
    apply: key(
      z.enum(['ask', 'proven', 'kept', 'never']).prefault('ask'),
      'When the artifacts themselves change: ask (a person allows it), proven (if the proof says improved), kept (also without a proof), never.',
      'proven',
    ),
    search: key(
      keys({
        passes: key(
          integer(1, 1000).prefault(searchPassesDefault),
          'How much the search composer may run in each iteration, in passes over the cases.',
          searchPassesDefault,
        ),
      }).prefault({}),
      'The composer that needs no model: it turns the knobs of the manifest.',
      { passes: searchPassesDefault },
    ),
    models: key(
      z.boolean().prefault(false),
      'Whether the commands of the manifest reach models: through the gateway, within the limits of the run, without a key.',
      true,
    ),
  },
  operations: [showTuning, logOfTuning],
  // What it measures are versions in its state: its iterations change no file.
  escalate: { withoutChange: iterationsMax },
  panels: tunePanels,
  inputs: ['manifest', 'case', 'plan', 'log', 'request', 'answers', 'framing'],
  proposes: ({ apply }) => ({
    kind: 'edit-artifacts',
    isChosen: apply === 'proven' || apply === 'kept',
  }),
  async completeInput({ settings, agents }, input, read) {
    const completed = await captureInput(settings, input, read)
    const { manifest } = readTuneInput(completed)
    if (manifest.text !== '') checkManifest(manifest.path, manifest.text, agents)
    return completed
  },
  async prepare(file, given) {
    const settings = toSettings(file, given)
    const { manifest } = readTuneInput(given.input)
    if (manifest.text !== '') checkManifest(manifest.path, manifest.text, file.agents)
    return {
      loop: tuneLoop(settings),
      variables: [],
      warnings: [],
      firstPrompt: () => undefined,
    }
  },
}

/** Phases are iterations of the engine, so its usual limit would end a loop in the middle: maxIterations of the manifest counts. */
function withDefaults(written: JsonObject): JsonObject {
  const { limits = {} } = written
  return {
    worktree: false,
    ...written,
    ...(isJsonObject(limits) ? { limits: { iterations: iterationsMax, ...limits } } : {}),
  }
}

function checkManifest(path: string, text: string, agents: AgentsByRole): void {
  try {
    requireRoles(requireManifest(path, text), agents)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new LoopError(
      'bad-request',
      `The manifest cannot be used: ${error.message} Correct ${path}, then run the loop again.`,
      { cause: error },
    )
  }
}

const toSettings = (
  { name, settings, agents }: LoopFile<TuneKeys>,
  { version, ports }: PrepareOptions,
): TuneSettings => ({
  name,
  version,
  ...settings,
  composer: agents[composerRole] === undefined ? 'search' : 'agent',
  isReviewed: agents[reviewerRole] !== undefined,
  ...defined({ ports }),
})
