/** Masks secrets in the descriptions and results of tools. */

import { textOf } from '../loop/index.ts'
import { type Mask, maskDeep } from '../system/mask.ts'
import { type Tool, ToolError } from '../tools/index.ts'

/** For tools of servers that were passed secrets. */
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

/** False for a schema that is an object with methods. */
const isData = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype
