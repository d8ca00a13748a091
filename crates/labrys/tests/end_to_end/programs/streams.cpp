// Numbers written to string streams and read back.
#include <cassert>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <verifier.h>

static std::string shown(int quarters) {
    std::ostringstream text;
    text << std::setw(6) << std::setfill('.') << std::fixed << std::setprecision(2) << quarters / 4.0;
    return text.str();
}

int main() {
    int quarters = __VERIFIER_nondet_int();
    if (quarters < 0 || quarters > 9) return 0;
    std::cout << "quarters: " << quarters << std::endl;
    std::string text = shown(quarters);
    assert(text != "..1.75 "); //BUG:    assert(text != "..1.75");
    std::istringstream words("7 " + std::to_string(quarters) + " rest of it");
    int seven, again;
    std::string word, rest;
    words >> seven >> again >> word;
    std::getline(words, rest);
    assert(seven == 7 && again == quarters && word == "rest" && rest == " of it" && words.eof());
    assert(!(words >> seven));
    return 0;
}
