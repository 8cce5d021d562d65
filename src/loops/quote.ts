/** Foreign text is quoted, so that it cannot be mistaken for ours, such as a check that was met. */
export const quote = (text: string): string => text.replaceAll(/^/gm, '> ')
