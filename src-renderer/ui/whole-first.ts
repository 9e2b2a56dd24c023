/** Puts the option whose value is the whole text before those that contain it: version 7 before version 79. */
export const wholeFirst = <Option extends { readonly value: string }>(
  options: readonly Option[],
  text: string,
): readonly Option[] => {
  const whole = options.find(({ value }) => value === text)
  return whole === undefined ? options : [whole, ...options.filter((option) => option !== whole)]
}
