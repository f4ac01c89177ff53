/*
 * Prices by ICU's own formatter, as an oracle for ProductCatalogue: reads lines of locale, currency
 * and amount with tabs between, writes them again with the text behind.
 *
 *   cc icu-prices.c -o icu-prices -licui18n -licuuc
 *   ./icu-prices < prices.txt > prices.tsv
 *
 * Needs ICU with its headers (apt-get install libicu-dev). See README.md.
 */
#include <stdio.h>
#include <string.h>
#include <unicode/unumberformatter.h>
#include <unicode/ustring.h>

enum { LINE_MAX_BYTES = 512, TEXT_MAX_UNITS = 256 };

static int print(const char *locale, const char *currency, const char *amount) {
  UErrorCode error = U_ZERO_ERROR;
  char skeleton[32];
  UChar wide[32];
  snprintf(skeleton, sizeof skeleton, "currency/%s", currency);
  u_uastrcpy(wide, skeleton);
  UNumberFormatter *formatter = unumf_openForSkeletonAndLocale(wide, -1, locale, &error);
  UFormattedNumber *number = unumf_openResult(&error);
  /* By its digits: a double would not hold them. */
  unumf_formatDecimal(formatter, amount, -1, number, &error);
  UChar text[TEXT_MAX_UNITS];
  int32_t length = unumf_resultToString(number, text, TEXT_MAX_UNITS, &error);
  char bytes[4 * TEXT_MAX_UNITS];
  u_strToUTF8(bytes, sizeof bytes, NULL, text, length, &error);
  unumf_closeResult(number);
  unumf_close(formatter);
  if (U_FAILURE(error)) {
    fprintf(stderr, "%s %s %s: %s\n", locale, currency, amount, u_errorName(error));
    return 1;
  }
  printf("%s\t%s\t%s\t%s\n", locale, currency, amount, bytes);
  return 0;
}

int main(void) {
  char line[LINE_MAX_BYTES];
  int failures = 0;
  while (fgets(line, sizeof line, stdin)) {
    char *locale = strtok(line, "\t\n");
    char *currency = strtok(NULL, "\t\n");
    char *amount = strtok(NULL, "\t\n");
    if (locale && currency && amount) failures += print(locale, currency, amount);
  }
  return failures > 0;
}
