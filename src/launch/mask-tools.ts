/** Secrets, taken out of everything that is only data. */

import { textOf } from '../loop/index.ts'
import { type Mask, maskDeep } from '../system/mask.ts'
import { type Tool, ToolError } from '../tools/index.ts'

/** Tools of servers that know secrets: whatever they say, they do not repeat them. */
export function maskedTools(tools: readonly Tool[], maskText: Mask): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    description: maskText(tool.description),
    parameters: isData(tool.parameters) ? maskDeep(maskText, tool.parameters) : tool.parameters,
    async run(args, context) {
      try {
        return maskDeep(maskText, await tool.run(args, context))
      } catch (error) {
        if (error instanceof ToolError) throw new ToolError(error.code, maskText(error.message))
        const text = textOf(error)
        throw maskText(text) === text ? error : new Error(maskText(text))
      }
    },
  }))
}

/** Not a schema that is code. */
const isData = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype
