/**
 * Settings as keys of a loop file, by loop type: they apply where the file does not have the key. A key whose value is a
 * table is merged with that of the file.
 */

import { readFile } from 'node:fs/promises'
import { defined, LoopError } from '../../loop/index.ts'
import { skillDirs } from '../../loops/context/skills.ts'
import type { RunSettings } from '../../protocol/api/index.ts'
import { isJsonObject, type JsonObject } from '../../protocol/index.ts'
import type { LoadOptions } from '../load-options.ts'

const promptCharsMax = 200_000

/** The options of `loadLoop` that come from the settings of build loops. Reads the prompt file, if one is set. */
export async function loopDefaults({
  build = {},
  skills = {},
  limits = {},
}: RunSettings): Promise<Pick<LoadOptions, 'defaults' | 'agentTimeMs' | 'models'>> {
  const { promptFile, reviewModel } = build
  const prompt = promptFile === undefined ? undefined : await readPrompt(promptFile)
  const keys = { ...toBuildKeys(build), ...toSkillKeys(skills), ...defined({ prompt }) }
  return {
    ...(Object.keys(keys).length === 0 ? {} : { defaults: { build: keys } }),
    ...(reviewModel === undefined ? {} : { models: { reviewer: reviewModel } }),
    ...defined({ agentTimeMs: limits.agentTimeMs }),
  }
}

function toBuildKeys(build: NonNullable<RunSettings['build']>): JsonObject {
  const { plansDir, review, reviewFailures, verificationFailures, completionMode } = build
  const { contextFiles, retries, retryDelayMs, measure } = build
  const retry = defined({
    times: retries,
    delay: retryDelayMs === undefined ? undefined : `${retryDelayMs}ms`,
  })
  return {
    ...defined({ plans: plansDir, contextFiles, measure }),
    ...(review === false ? { review } : {}),
    ...(reviewFailures === undefined || review === false
      ? {}
      : { review: { failures: reviewFailures } }),
    ...(verificationFailures === undefined
      ? {}
      : { verification: { failures: verificationFailures } }),
    ...(completionMode === undefined ? {} : { completion: { mode: completionMode } }),
    ...(Object.keys(retry).length === 0 ? {} : { retry }),
    ...toActions(build),
  }
}

/** What happens when the run completes, if the settings say anything about it. */
function toActions({
  mergeTarget: into,
  mergeStrategy: strategy,
  cleanUp,
}: NonNullable<RunSettings['build']>): JsonObject {
  if (into === undefined && strategy === undefined && cleanUp !== true) return {}
  const merge = { ...defined({ into }), ...(strategy === 'merge' ? { strategy } : {}) }
  return {
    actions: [
      ...(strategy === 'none' ? [] : [{ merge }]),
      ...(cleanUp === true ? ['clean-up'] : []),
    ],
  }
}

function toSkillKeys(skills: NonNullable<RunSettings['skills']>): JsonObject {
  const { enabled = false, dirs = skillDirs, builtInDir, ...rest } = skills
  if (!enabled) return {}
  return {
    skills: {
      dirs: [...(builtInDir === undefined ? [] : [builtInDir]), ...dirs],
      ...defined({
        maker: rest.maxImplementation,
        reviewer: rest.maxReview,
        chars: rest.maxChars,
        references: rest.references,
      }),
    },
  }
}

/** In the legacy format `SPEC_PATH` and `PLAN_PATH` stand for the paths. */
async function readPrompt(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    const message = `build.promptFile (prompt_file) names ${file}, which cannot be read. Write the prompt there, or remove the setting.`
    throw new LoopError('unknown-file', message, { cause })
  })
  if (text.trim() !== '' && text.length <= promptCharsMax) {
    return text
      .replaceAll(/\bSPEC_PATH\b/g, '{{ spec_path }}')
      .replaceAll(/\bPLAN_PATH\b/g, '{{ plan_path }}')
  }
  const what = text.trim() === '' ? 'is empty' : `has more than ${promptCharsMax} characters`
  throw new LoopError(
    'bad-config',
    `The prompt in ${file} ${what}. Change it, or remove the setting.`,
  )
}

/** The keys of a file with those that it leaves out. */
export function withDefaultKeys(written: JsonObject, defaults: JsonObject = {}): JsonObject {
  const merged: Record<string, JsonObject[string]> = { ...written }
  for (const [key, value] of Object.entries(defaults)) {
    const own = written[key]
    if (key === 'actions' && written['then'] !== undefined) continue
    if (own === undefined) merged[key] = value
    else if (isJsonObject(own) && isJsonObject(value)) merged[key] = { ...value, ...own }
  }
  return merged
}
