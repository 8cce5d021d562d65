/** Parses in this thread, without limits: for the tests of this folder, whose texts are not hostile. */

import { parse } from '@babel/parser'
import { isNode } from './nodes.ts'
import { type ParseScript, parserOptions } from './parse-script.ts'

export const parseHere: ParseScript = async (file, text) => {
  try {
    const { program } = parse(text, parserOptions(file))
    return isNode(program) ? program : undefined
  } catch {
    return undefined
  }
}
