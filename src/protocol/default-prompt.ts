/** The prompt of those who need none: the repair agent reads nothing in it but how far its search is. */

import { isJsonObject, type JsonObject } from './values.ts'

const repairPrompt = 'Make the checks pass.\n\n{{ progress }}'

/** Before the file is read, so that a prompt which is missing elsewhere is missed as ever. */
export function withDefaultPrompt(written: JsonObject): JsonObject {
  const { prompt, agent } = written
  if (prompt !== undefined) return written
  const isRepair = agent === 'repair' || (isJsonObject(agent) && Object.hasOwn(agent, 'repair'))
  return isRepair ? { ...written, prompt: repairPrompt } : written
}
