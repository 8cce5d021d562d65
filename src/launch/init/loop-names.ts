/** Default names: of a check from its command, of a loop from its task. */

const kinds: readonly (readonly [name: string, command: RegExp])[] = [
  ['types', /\btsc\b|type-?check|check-types|mypy|pyright/],
  ['lint', /\blint|eslint|biome|ruff|flake8|clippy|\bvet\b|xo\b/],
  ['test', /test|jest|mocha|\bava\b|tape|rspec|\btap\b/],
  ['build', /\bbuild\b|\bmake\b|compile/],
]

/** Names a check; the name differs from those that are taken. */
export function nameCheck(command: string, taken: readonly string[]): string {
  const kind = kinds.find(([, pattern]) => pattern.test(command))?.[0] ?? 'check'
  for (let number = 1; ; number++) {
    const name = number === 1 ? kind : `${kind}-${number}`
    if (!taken.includes(name)) return name
  }
}

/** Names a loop after the first words of its task. */
export function nameLoop(task: string): string {
  const words = task.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const name = words.slice(0, 6).join('-').slice(0, 40).replace(/-$/, '')
  return name === '' ? 'command-line' : name
}
