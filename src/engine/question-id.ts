/** The id of a question in the inbox. */
export const questionId = (iteration: number, step: string): string => `${iteration}/${step}`
