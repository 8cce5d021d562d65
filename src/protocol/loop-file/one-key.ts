/** A table that names exactly one thing, such as an action. */

/** For `refine`: says what is there, and how to write it. */
export const oneKey = (what: string, example: string) => ({
  error: ({ input }: { readonly input?: unknown }): string => {
    const names = typeof input === 'object' && input !== null ? Object.keys(input) : []
    return names.length < 2
      ? `it names no ${what}: write one, such as ${example}`
      : `it names ${names.length} of them (${names.join(', ')}), and each ${what} is an entry of its own: in a list, begin each with "- "`
  },
})
