/** `a title` becomes `A title`. */
export const capitalize = (text) => text.slice(0, 1).toUpperCase() + text.slice(1)
