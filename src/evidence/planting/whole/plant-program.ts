/**
 * Plants a failure in a program that checks something without a test runner. `after`: at the last point that control
 * certainly reaches: the end of its tests, of the function that it calls, or of the file; before a statement that ends the
 * program. `value`: another expected value. `start`: before its first statement.
 *
 * In a file with tests, of whatever runner, the failure is in its last test.
 */

import { findLanguageFamily } from '../../mask-code.ts'
import { applyEdits, type Edit } from '../test-source.ts'
import { plantInBraces } from './plant-braces-program.ts'
import { plantInPython } from './plant-python-program.ts'
import { plantInScript } from './plant-script-program.ts'
import { isShell, plantInShell } from './plant-shell-program.ts'
import type { ProgramPlantRequest } from './program-plants.ts'

/** Whether it is in an executable language. */
export const isProgram = (file: string, text: string): boolean =>
  findLanguageFamily(file) !== undefined || isShell(file, text)

/** The text with the failure; undefined: none can be planted. */
export async function plantInProgram(request: ProgramPlantRequest): Promise<string | undefined> {
  const { file, text } = request
  const edits = await findEdits(request)
  const planted = edits === undefined || edits.length === 0 ? undefined : applyEdits(text, edits)
  if (planted === undefined) return undefined
  // Text that no longer parses would fail for another reason.
  const isValid =
    findLanguageFamily(file) !== 'script' || (await plantInScript.parses(file, planted))
  return isValid ? planted : undefined
}

async function findEdits(request: ProgramPlantRequest): Promise<readonly Edit[] | undefined> {
  const { file, text } = request
  switch (findLanguageFamily(file)) {
    case 'script':
      return plantInScript.plant(request)
    case 'python':
      return plantInPython(request)
    case 'go':
    case 'rust':
      return plantInBraces(request)
    default:
      return isShell(file, text) ? plantInShell(request) : undefined
  }
}
