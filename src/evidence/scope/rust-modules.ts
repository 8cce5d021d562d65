/** Files of Rust that no module of the product declares any more: tests may still take them in by `#[path]`. */

import type { Trees } from './trees.ts'

const declaration =
  /(#\[path\b[^\]\n]{0,300}\]\s{0,20})?(?:pub(?:\([^)\n]{0,100}\))?[ \t]{1,20})?\bmod[ \t]{1,20}(\w{1,100})[ \t]{0,20};/g

/** It was a module on the base, and the candidate has the file and not the module. */
export async function isLeftBehind(trees: Trees, path: string): Promise<boolean> {
  const { before, after } = trees
  if (!path.endsWith('.rs') || !before.has(path) || !after.has(path)) return false
  const name = path.replace(/(?:\/mod)?\.rs$/, '').replace(/^.*\//, '')
  const isDeclared = async (
    files: ReadonlyMap<string, unknown>,
    textOf: (file: string) => Promise<string | undefined>,
  ): Promise<boolean> => {
    const product = [...files.keys()].filter(
      (one) => one.endsWith('.rs') && trees.scope.isWork(one),
    )
    const texts = await Promise.all(product.map(textOf))
    return texts.some((text = '') =>
      [...text.matchAll(declaration)].some((found) => found[1] === undefined && found[2] === name),
    )
  }
  return (
    (await isDeclared(before, trees.textOfBase)) && !(await isDeclared(after, trees.textOfTree))
  )
}
