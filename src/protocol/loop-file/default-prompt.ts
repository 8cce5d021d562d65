/** A default prompt for the repair agent, which only reads the state of its search from it. */

import { isJsonObject, type JsonObject } from '../values.ts'

const repairPrompt = 'Make the checks pass.\n\n{{ progress }}'

/** Runs before validation, so that other agents still get an error for a missing prompt. */
export function withDefaultPrompt(written: JsonObject): JsonObject {
  const { prompt, agent } = written
  if (prompt !== undefined) return written
  const isRepair = agent === 'repair' || (isJsonObject(agent) && Object.hasOwn(agent, 'repair'))
  return isRepair ? { ...written, prompt: repairPrompt } : written
}
